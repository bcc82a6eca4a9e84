import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  DeleteEndpointDocument,
  EndpointListDocument,
  RotateEndpointSecretDocument,
  SendTestWebhookDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { type Endpoint, EndpointDialog } from './endpoint-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

/** What is open over the list. */
type Open =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'editing'; readonly endpoint: Endpoint | null }
  | { readonly kind: 'deleting'; readonly endpoint: Endpoint }
  | { readonly kind: 'secret'; readonly secret: string }

const nothing: Open = { kind: 'nothing' }

export function EndpointsCard(): ReactNode {
  const t = useText()
  const mayWrite = useMay('webhooks:write')
  const { data, error, refetch } = useApi('settings', EndpointListDocument, {})
  const [open, setOpen] = useState<Open>(nothing)
  const endpoints = data?.webhookEndpoints.nodes ?? []
  return (
    <Card
      title={t('endpoints')}
      actions={
        mayWrite && (
          <Button icon="plus" look="primary" onPress={() => setOpen({ kind: 'editing', endpoint: null })}>
            {t('newEndpoint')}
          </Button>
        )
      }
    >
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : endpoints.length === 0 ? (
        <Empty icon="webhook" title={t('noEndpoints')} text={t('noEndpointsText')} />
      ) : (
        <ul>
          {endpoints.map((endpoint) => (
            <li key={endpoint.id} className="parcel">
              <EndpointParts endpoint={endpoint} mayWrite={mayWrite} onOpen={setOpen} />
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
  switch (open.kind) {
    case 'nothing':
      return null
    case 'editing':
      return (
        <EndpointDialog
          endpoint={open.endpoint}
          onCreated={(secret) => onOpen({ kind: 'secret', secret })}
          onClose={close}
        />
      )
    case 'deleting':
      return (
        <ConfirmDialog
          title={t('deleteEndpoint')}
          lead={t('deleteEndpointLead', { url: open.endpoint.url })}
          submit={t('delete')}
          danger
          document={DeleteEndpointDocument}
          variables={{ id: open.endpoint.id }}
          subjects={['settings']}
          done={t('endpointDeleted')}
          onClose={close}
        />
      )
    case 'secret':
      return (
        <SecretDialog
          title={t('signingSecret')}
          lead={t('secretShownOnce')}
          secret={open.secret}
          onClose={close}
        />
      )
    default:
      return open satisfies never
  }
}

interface PartsProps {
  readonly endpoint: Endpoint
  readonly mayWrite: boolean
  readonly onOpen: (open: Open) => void
}

function EndpointParts({ endpoint, mayWrite, onOpen }: PartsProps): ReactNode {
  const t = useText()
  const { id, url, description, status, topics, failingSince } = endpoint
  const test = useChange(SendTestWebhookDocument, ['settings'])
  const rotate = useChange(RotateEndpointSecretDocument, ['settings'])
  const error = test.error ?? rotate.error
  const send = async () => {
    if ((await test.run({ id })) !== null) tell(t('testIsSent'))
  }
  const renew = async () => {
    const secret = (await rotate.run({ id }))?.rotateWebhookSecret?.webhookEndpoint?.secret
    if (secret != null) onOpen({ kind: 'secret', secret })
  }
  return (
    <>
      <div className="between">
        <h3 className="wrap">{url}</h3>
        <Badge tone={status === 'DISABLED' ? 'bad' : failingSince === null ? 'good' : 'wait'}>
          {t(status === 'DISABLED' ? 'switchedOff' : failingSince === null ? 'works' : 'failing')}
        </Badge>
      </div>
      <p className="small muted wrap">
        {[description, topics.join(', ')].filter((part) => part !== null && part !== '').join(' · ')}
      </p>
      {error !== null && <Fault text={reasonOf(error)} />}
      {mayWrite && (
        <span className="chips">
          <Button look="quiet" isDisabled={test.pending} onPress={() => void send()}>
            {t('sendTest')}
          </Button>
          <Button look="quiet" onPress={() => onOpen({ kind: 'editing', endpoint })}>
            {t('edit')}
          </Button>
          <Button look="quiet" isDisabled={rotate.pending} onPress={() => void renew()}>
            {t('newSecret')}
          </Button>
          <Button look="quiet" onPress={() => onOpen({ kind: 'deleting', endpoint })}>
            {t('delete')}
          </Button>
        </span>
      )}
    </>
  )
}
