import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import {
  KeyListDocument,
  type KeyListQuery,
  RevokeKeyDocument,
  RotateKeyDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Select } from '../ui/fields.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { CreateKeyDialog, CreatePublishableKeyDialog } from './create-key-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Key = NonNullable<KeyListQuery['merchantAccount']>['apiKeys'][number]

/** What is open over the list. */
type Open =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'newSecret' }
  | { readonly kind: 'newPublishable' }
  | { readonly kind: 'rotating'; readonly key: Key }
  | { readonly kind: 'revoking'; readonly key: Key }
  | { readonly kind: 'shown'; readonly secret: string }

const nothing: Open = { kind: 'nothing' }

export function KeysTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('api_keys:write')
  const { data, error, refetch } = useApi('settings', KeyListDocument, {})
  const [open, setOpen] = useState<Open>(nothing)
  const keys = data?.merchantAccount?.apiKeys ?? []
  return (
    <Card
      title={t('apiKeys')}
      actions={
        mayWrite && (
          <span className="chips">
            <Button icon="plus" onPress={() => setOpen({ kind: 'newPublishable' })}>
              {t('newPublishableKey')}
            </Button>
            <Button icon="plus" look="primary" onPress={() => setOpen({ kind: 'newSecret' })}>
              {t('newSecretKey')}
            </Button>
          </span>
        )
      }
    >
      <p className="muted">{t('apiKeysLead')}</p>
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : keys.length === 0 ? (
        <Empty icon="key" title={t('noKeys')} text={t('noKeysText')} />
      ) : (
        <ul>
          {keys.map((key) => (
            <li key={key.id} className="parcel">
              <KeyParts apiKey={key} mayWrite={mayWrite} onOpen={setOpen} />
            </li>
          ))}
        </ul>
      )}
      <OpenDialog open={open} onOpen={setOpen} />
    </Card>
  )
}

interface OpenProps {
  readonly open: Open
  readonly onOpen: (open: Open) => void
}

function OpenDialog({ open, onOpen }: OpenProps): ReactNode {
  const t = useText()
  const close = () => onOpen(nothing)
  const show = (secret: string) => onOpen({ kind: 'shown', secret })
  switch (open.kind) {
    case 'nothing':
      return null
    case 'newSecret':
      return <CreateKeyDialog onCreated={show} onClose={close} />
    case 'newPublishable':
      return <CreatePublishableKeyDialog onCreated={show} onClose={close} />
    case 'rotating':
      return <RotateDialog apiKey={open.key} onRotated={show} onClose={close} />
    case 'revoking':
      return (
        <ConfirmDialog
          title={t('revokeTitle', { name: open.key.name })}
          lead={t('revokeLead')}
          submit={t('revoke')}
          danger
          document={RevokeKeyDocument}
          variables={{ id: open.key.id }}
          subjects={['settings']}
          done={t('keyRevoked', { name: open.key.name })}
          onClose={close}
        />
      )
    case 'shown':
      return (
        <SecretDialog title={t('keyIsMade')} lead={t('keyShownOnce')} secret={open.secret} onClose={close} />
      )
    default:
      return open satisfies never
  }
}

interface PartsProps {
  readonly apiKey: Key
  readonly mayWrite: boolean
  readonly onOpen: (open: Open) => void
}

function KeyParts({ apiKey, mayWrite, onOpen }: PartsProps): ReactNode {
  const t = useText()
  const { dateTime, date } = useFormat()
  const { name, kind, prefix, permissions, origins, publishableKey, lastUsedAt, expiresAt, createdAt } =
    apiKey
  return (
    <>
      <div className="between">
        <h3>{name}</h3>
        <Badge tone="calm">{t(kind === 'SECRET' ? 'secretKey' : 'publishableKey')}</Badge>
      </div>
      {publishableKey !== null && <p className="small secret wrap">{publishableKey}</p>}
      <div className="between">
        <span className="small muted wrap">
          {[
            `${prefix}…`,
            t('createdOn', { date: date(createdAt) }),
            kind === 'SECRET' ? t('permissionsCount', { count: permissions.length }) : origins.join(', '),
            lastUsedAt === null ? t('neverUsed') : t('lastUsed', { date: dateTime(lastUsedAt) }),
            expiresAt === null ? '' : t('expiresOn', { date: dateTime(expiresAt) }),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
        {mayWrite && (
          <span className="chips">
            {kind === 'SECRET' && (
              <Button look="quiet" onPress={() => onOpen({ kind: 'rotating', key: apiKey })}>
                {t('rotate')}
              </Button>
            )}
            <Button look="quiet" onPress={() => onOpen({ kind: 'revoking', key: apiKey })}>
              {t('revoke')}
            </Button>
          </span>
        )}
      </div>
    </>
  )
}

interface KeyProps {
  readonly apiKey: Key
  readonly onClose: () => void
}

/** Seconds for which the key before goes on working. */
const overlaps = [
  { id: '86400', name: 'forADay' },
  { id: '604800', name: 'forAWeek' },
  { id: '0', name: 'notAtAll' },
] as const

function RotateDialog({
  apiKey: { id, name },
  onRotated,
  onClose,
}: KeyProps & { readonly onRotated: (key: string) => void }): ReactNode {
  const t = useText()
  const [overlap, setOverlap] = useState<string>(overlaps[0].id)
  const { run, error, pending } = useChange(RotateKeyDocument, ['settings'])
  const submit = async () => {
    const key = (await run({ id, overlapSeconds: Number(overlap) }))?.rotateApiKey?.key
    if (key != null) onRotated(key)
  }
  return (
    <FormDialog
      title={t('rotateTitle', { name })}
      narrow
      fields={['overlapSeconds']}
      error={error}
      submit={t('rotate')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('rotateLead')}</p>
      <Select
        label={t('oldKeyWorks')}
        value={overlap}
        onChange={setOverlap}
        choices={overlaps.map((each) => ({ id: each.id, text: t(each.name) }))}
      />
    </FormDialog>
  )
}
