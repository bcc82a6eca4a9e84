import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import {
  ConnectAccountDocument,
  DisableAccountDocument,
  PaymentAccountListDocument,
  type PaymentProcessorName,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { ChangeAccountDialog, type PaymentAccount } from './change-account-dialog.tsx'

const processors = { STRIPE: 'Stripe', PAYPAL: 'PayPal' } as const satisfies Record<
  PaymentProcessorName,
  string
>

/** Where the money of cards and PayPal goes. */
export function PaymentAccountsCard(): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const [adding, setAdding] = useState(false)
  const { data, error, refetch } = useApi('settings', PaymentAccountListDocument, {})
  const accounts = data?.paymentAccounts ?? []
  return (
    <Card
      title={t('paymentAccounts')}
      actions={
        mayWrite && (
          <Button icon="plus" onPress={() => setAdding(true)}>
            {t('connect')}
          </Button>
        )
      }
    >
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : accounts.length === 0 ? (
        <Empty icon="creditCard" title={t('noPaymentAccounts')} text={t('noPaymentAccountsText')} />
      ) : (
        <ul>
          {accounts.map((account) => (
            <AccountRow key={account.id} account={account} />
          ))}
        </ul>
      )}
      {adding && <ConnectDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}

function AccountRow({ account }: { readonly account: PaymentAccount }): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const [asking, setAsking] = useState(false)
  const [changing, setChanging] = useState(false)
  const { id, name, processor, mode, status, keyEnding, hasWebhookSecret, webhookPath } = account
  return (
    <li className="parcel">
      <div className="between">
        <h3>{name}</h3>
        <span className="chips">
          <Badge tone={mode === 'LIVE' ? 'good' : 'info'}>
            {t(mode === 'LIVE' ? 'liveMode' : 'testMode')}
          </Badge>
          <Badge tone={status === 'ACTIVE' ? 'good' : 'calm'}>
            {t(status === 'ACTIVE' ? 'works' : 'switchedOff')}
          </Badge>
        </span>
      </div>
      <div className="between">
        <span className="small muted">
          {processors[processor]} · …{keyEnding}
        </span>
        {mayWrite && (
          <span className="chips">
            <Button look="quiet" aria-label={t('editNamed', { name })} onPress={() => setChanging(true)}>
              {t('edit')}
            </Button>
            {status === 'ACTIVE' && (
              <Button look="quiet" aria-label={t('switchOffTitle', { name })} onPress={() => setAsking(true)}>
                {t('switchAccountOff')}
              </Button>
            )}
          </span>
        )}
      </div>
      <p className="small wrap">
        {t(hasWebhookSecret ? 'webhooksGoTo' : 'webhookSecretMissing', {
          url: new URL(webhookPath, location.origin).href,
        })}
      </p>
      {changing && <ChangeAccountDialog account={account} onClose={() => setChanging(false)} />}
      {asking && (
        <ConfirmDialog
          title={t('switchOffTitle', { name })}
          lead={t('switchOffAccountLead')}
          submit={t('switchAccountOff')}
          danger
          document={DisableAccountDocument}
          variables={{ id }}
          subjects={['settings']}
          done={t('saved')}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  )
}

function ConnectDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const [processor, setProcessor] = useState<PaymentProcessorName>('STRIPE')
  const [name, setName] = useState('')
  const [clientId, setClientId] = useState('')
  const [secretKey, setSecretKey] = useState('')
  const [webhookSecret, setWebhookSecret] = useState('')
  const { run, error, pending } = useChange(ConnectAccountDocument, ['settings'])
  const submit = async () => {
    const input = {
      processor,
      secretKey,
      ...(name !== '' && { name }),
      ...(processor === 'PAYPAL' && { clientId }),
      ...(webhookSecret !== '' && { webhookSecret }),
    }
    if ((await run({ input })) === null) return
    tell(t('connected'))
    onClose()
  }
  return (
    <FormDialog
      title={t('connectTitle')}
      narrow
      fields={['processor', 'name', 'clientId', 'secretKey', 'webhookSecret']}
      error={error}
      submit={t('connect')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Select
        label={t('processor')}
        name="processor"
        value={processor}
        onChange={(next) => setProcessor(next === 'PAYPAL' ? 'PAYPAL' : 'STRIPE')}
        choices={Object.entries(processors).map(([id, text]) => ({ id, text }))}
      />
      <TextField name="name" label={t('name')} value={name} onChange={setName} />
      {processor === 'PAYPAL' && (
        <TextField name="clientId" label={t('clientId')} value={clientId} onChange={setClientId} isRequired />
      )}
      <TextField
        name="secretKey"
        label={t('secretKeyOf')}
        hint={t('secretKeyHint')}
        type="password"
        autoComplete="off"
        value={secretKey}
        onChange={setSecretKey}
        isRequired
      />
      <TextField
        name="webhookSecret"
        label={t('webhookSecret')}
        hint={t('webhookSecretHint')}
        autoComplete="off"
        value={webhookSecret}
        onChange={setWebhookSecret}
      />
    </FormDialog>
  )
}
