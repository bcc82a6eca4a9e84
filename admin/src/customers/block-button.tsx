import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { BlockCustomerDocument, UnblockCustomerDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Customer } from './customer-page.tsx'

export function BlockButton({ customer: { id, name, status } }: { readonly customer: Customer }): ReactNode {
  const t = useText()
  const mayWrite = useMay('customers:write')
  const [open, setOpen] = useState(false)
  if (!mayWrite) return null
  const isBlocked = status === 'BLOCKED'
  const close = () => setOpen(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t(isBlocked ? 'unblock' : 'block')}</Button>
      {open && !isBlocked && <BlockDialog id={id} name={name} onClose={close} />}
      {open && isBlocked && (
        <ConfirmDialog
          title={t('unblockTitle', { name })}
          lead={t('unblockLead')}
          submit={t('unblock')}
          document={UnblockCustomerDocument}
          variables={{ id }}
          subjects={['customers']}
          done={t('unblocked', { name })}
          onClose={close}
        />
      )}
    </>
  )
}

interface Props {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}

function BlockDialog({ id, name, onClose }: Props): ReactNode {
  const t = useText()
  const [reason, setReason] = useState('')
  const { run, error, pending } = useChange(BlockCustomerDocument, ['customers'])
  const submit = async () => {
    // The dialog is of a customer who isn't blocked, so it is closed before the list says otherwise.
    if ((await run({ id, reason })) === null) return
    tell(t('customerBlocked', { name }))
    onClose()
  }
  return (
    <FormDialog
      title={t('blockTitle', { name })}
      narrow
      fields={['reason']}
      error={error}
      submit={t('block')}
      danger
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('blockLead')}</p>
      <TextField name="reason" label={t('reason')} value={reason} onChange={setReason} isRequired autoFocus />
    </FormDialog>
  )
}
