import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { EraseCustomerDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Customer } from './customer-page.tsx'

interface Props {
  readonly customer: Customer
  readonly onClose: () => void
}

/** Forgets a customer for good, after the person who does it has typed whom. */
export function EraseDialog({ customer: { id, name, email }, onClose }: Props): ReactNode {
  const t = useText()
  const [typed, setTyped] = useState('')
  const { run, error, pending } = useChange(EraseCustomerDocument, ['customers', 'orders'])
  const submit = async () => {
    if ((await run({ id })) === null) return
    tell(t('customerErased', { name }))
    onClose()
  }
  return (
    <FormDialog
      title={t('eraseTitle', { name })}
      fields={[]}
      error={error}
      submit={t('eraseForGood')}
      danger
      pending={pending}
      disabled={typed.trim().toLowerCase() !== email.toLowerCase()}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('eraseGone')}</p>
      <p>{t('eraseKept')}</p>
      <p className="muted">{t('eraseWhen')}</p>
      <TextField
        label={t('typeToErase', { email })}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        isRequired
      />
    </FormDialog>
  )
}
