import type { ReactNode } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  CheckSenderDocument,
  type EmailSenderStatus,
  SenderDocument,
  type SenderQuery,
  SetSenderDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { DraftForm } from '../ui/draft-form.tsx'
import { TextField } from '../ui/fields.tsx'
import { Badge, Card, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'

type Sender = NonNullable<NonNullable<SenderQuery['merchantAccount']>['emailSender']>

const statuses = {
  CONFIRMED: { tone: 'good', name: 'senderConfirmed' },
  PENDING: { tone: 'wait', name: 'senderPending' },
  LOST: { tone: 'bad', name: 'senderLost' },
} as const satisfies Record<EmailSenderStatus, StatusName>

/** The address that the shop's mails come from. */
export function SenderTab(): ReactNode {
  const { data, error, refetch } = useApi('settings', SenderDocument, {})
  if (error) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading lines={4} />
  const sender = data.merchantAccount?.emailSender ?? null
  return (
    <div className="halves">
      <AddressCard sender={sender} />
      {sender !== null && <RecordsCard sender={sender} />}
    </div>
  )
}

function AddressCard({ sender }: { readonly sender: Sender | null }): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const state = useDraft({ address: sender?.address ?? '' })
  const { run, error, pending } = useChange(SetSenderDocument, ['settings'])
  const submit = async () => {
    const { address } = state.draft
    if ((await run({ input: { address: address === '' ? null : address } })) !== null) tell(t('saved'))
  }
  return (
    <Card
      title={t('emailSender')}
      actions={sender !== null && <StatusBadge status={statuses[sender.status]} />}
    >
      <p className="muted">{t('emailSenderLead')}</p>
      <DraftForm
        draft={state}
        fields={['address']}
        error={error}
        pending={pending}
        mayWrite={mayWrite}
        onSubmit={() => void submit()}
      >
        <TextField
          name="address"
          type="email"
          label={t('senderAddress')}
          hint={t('senderAddressHint')}
          value={state.draft.address}
          onChange={(address) => state.set({ address })}
          isReadOnly={!mayWrite}
        />
      </DraftForm>
    </Card>
  )
}

function RecordsCard({ sender }: { readonly sender: Sender }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const mayWrite = useMay('merchant:write')
  const { run, error, pending } = useChange(CheckSenderDocument, ['settings'])
  return (
    <Card
      title={t('dnsRecords')}
      actions={
        mayWrite && (
          <Button isDisabled={pending} onPress={() => void run({})}>
            {t('checkNow')}
          </Button>
        )
      }
    >
      {error && <Fault text={reasonOf(error)} />}
      <p className="muted">{sender.problem ?? t('dnsRecordsLead')}</p>
      {sender.records.map(({ type, name, value, found }) => (
        <div key={`${type} ${name} ${value}`} className="stack">
          <div className="between">
            <span className="small wrap">
              {type} {name}
            </span>
            <Badge tone={found === true ? 'good' : 'wait'}>{t(found === true ? 'found' : 'notFound')}</Badge>
          </div>
          <p className="secret">{value}</p>
        </div>
      ))}
      {sender.checkedAt !== null && (
        <p className="small muted">{t('checkedOn', { date: dateTime(sender.checkedAt) })}</p>
      )}
    </Card>
  )
}
