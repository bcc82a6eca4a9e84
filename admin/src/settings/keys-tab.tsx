import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { KeyListDocument, type KeyListQuery, RevokeKeyDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Badge, Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'

type Key = NonNullable<KeyListQuery['merchantAccount']>['apiKeys'][number]

export function KeysTab(): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('settings', KeyListDocument, {})
  const keys = data?.merchantAccount?.apiKeys ?? []
  return (
    <Card title={t('apiKeys')}>
      <p className="muted">{t('apiKeysLead')}</p>
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <ul>
          {keys.map((key) => (
            <li key={key.id} className="parcel">
              <KeyParts apiKey={key} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function KeyParts({ apiKey }: { readonly apiKey: Key }): ReactNode {
  const t = useText()
  const { dateTime, date } = useFormat()
  const mayWrite = useMay('api_keys:write')
  const [revoking, setRevoking] = useState(false)
  const { name, kind, prefix, permissions, lastUsedAt, revokedAt, createdAt } = apiKey
  return (
    <>
      <div className="between">
        <h3>{name}</h3>
        <span className="chips">
          <Badge tone="calm">{t(kind === 'SECRET' ? 'secretKey' : 'publishableKey')}</Badge>
          {revokedAt !== null && <Badge tone="bad">{t('revoked')}</Badge>}
        </span>
      </div>
      <div className="between">
        <span className="small muted">
          {prefix}… · {t('createdOn', { date: date(createdAt) })}
          {kind === 'SECRET' && ` · ${t('permissionsCount', { count: permissions.length })}`}
          {lastUsedAt !== null && ` · ${t('lastUsed', { date: dateTime(lastUsedAt) })}`}
        </span>
        {mayWrite && revokedAt === null && (
          <Button look="quiet" onPress={() => setRevoking(true)}>
            {t('revoke')}
          </Button>
        )}
      </div>
      {revoking && <RevokeDialog apiKey={apiKey} onClose={() => setRevoking(false)} />}
    </>
  )
}

interface RevokeProps {
  readonly apiKey: Key
  readonly onClose: () => void
}

function RevokeDialog({ apiKey: { id, name }, onClose }: RevokeProps): ReactNode {
  const t = useText()
  const { run, error, pending } = useChange(RevokeKeyDocument, ['settings'])
  const submit = async () => {
    if ((await run({ id })) === null) return
    tell(t('keyRevoked', { name }))
    onClose()
  }
  return (
    <FormDialog
      title={t('revokeTitle', { name })}
      narrow
      fields={[]}
      error={error}
      submit={t('revoke')}
      danger
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('revokeLead')}</p>
    </FormDialog>
  )
}
