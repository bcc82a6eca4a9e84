import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import {
  ChangePaymentAccountDocument,
  type PaymentAccountListQuery,
  type UpdatePaymentAccountInput,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'

export type PaymentAccount = PaymentAccountListQuery['paymentAccounts'][number]

interface Props {
  readonly account: PaymentAccount
  readonly onClose: () => void
}

interface AccountDraft {
  readonly name: string
  readonly clientId: string
  readonly secretKey: string
  readonly webhookSecret: string
  readonly withoutWebhookSecret: boolean
}

/** What is left empty stays as it is: the secrets can't be read, so their fields begin empty. */
const changesOf = (draft: AccountDraft, account: PaymentAccount): UpdatePaymentAccountInput => ({
  ...(draft.name !== '' && draft.name !== account.name && { name: draft.name }),
  ...(draft.clientId !== '' && { clientId: draft.clientId }),
  ...(draft.secretKey !== '' && { secretKey: draft.secretKey }),
  ...(draft.withoutWebhookSecret
    ? { webhookSecret: null }
    : draft.webhookSecret !== '' && { webhookSecret: draft.webhookSecret }),
})

/** Changes the name and the secrets of an account, for example after its key was replaced at the processor. */
export function ChangeAccountDialog({ account, onClose }: Props): ReactNode {
  const t = useText()
  const [draft, setDraft] = useState<AccountDraft>({
    name: account.name,
    clientId: '',
    secretKey: '',
    webhookSecret: '',
    withoutWebhookSecret: false,
  })
  const { run, error, pending } = useChange(ChangePaymentAccountDocument, ['settings'])
  const field = (name: 'name' | 'clientId' | 'secretKey' | 'webhookSecret') => ({
    name,
    value: draft[name],
    onChange: (text: string) => setDraft({ ...draft, [name]: text }),
  })
  const submit = async () => {
    const input = changesOf(draft, account)
    if (Object.keys(input).length > 0) {
      if ((await run({ id: account.id, input })) === null) return
      tell(t('saved'))
    }
    onClose()
  }
  return (
    <FormDialog
      title={t('editNamed', { name: account.name })}
      narrow
      fields={['name', 'clientId', 'secretKey', 'webhookSecret']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p className="muted">{t('emptyStays')}</p>
      <TextField {...field('name')} label={t('name')} />
      {account.processor === 'PAYPAL' && (
        <TextField {...field('clientId')} label={t('clientId')} hint={t('newClientIdHint')} />
      )}
      <TextField
        {...field('secretKey')}
        label={t('newSecretKeyOf')}
        hint={t('newSecretKeyHint', { ending: account.keyEnding })}
        type="password"
        autoComplete="off"
      />
      {!draft.withoutWebhookSecret && (
        <TextField
          {...field('webhookSecret')}
          label={t('webhookSecret')}
          hint={t('webhookSecretHint')}
          autoComplete="off"
        />
      )}
      {account.hasWebhookSecret && (
        <Checkbox
          isSelected={draft.withoutWebhookSecret}
          onChange={(withoutWebhookSecret) => setDraft({ ...draft, withoutWebhookSecret })}
        >
          {t('removeWebhookSecret')}
        </Checkbox>
      )}
    </FormDialog>
  )
}
