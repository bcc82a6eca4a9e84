import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CancelOrderDocument } from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Order } from './order-page.tsx'

interface Props {
  readonly order: Order
  readonly onClose: () => void
}

export function CancelDialog({ order, onClose }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const [reason, setReason] = useState('')
  const { run, error, pending } = useChange(CancelOrderDocument, ['orders', 'home', 'stock'])
  const paid = order.payments.reduce((sum, each) => sum + each.capturedAmount - each.refundedAmount, 0)
  const submit = async () => {
    if ((await run({ id: order.id, reason })) === null) return
    tell(t('orderIsCancelled', { order: order.orderNumber }))
    onClose()
  }
  return (
    <FormDialog
      title={t('cancelOrder')}
      narrow
      fields={['reason']}
      error={error}
      submit={t('cancelOrder')}
      danger
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{paid > 0 ? t('cancelPaid', { amount: money(paid, order.currency) }) : t('cancelUnpaid')}</p>
      <TextField
        name="reason"
        label={t('reason')}
        hint={t('reasonHint')}
        value={reason}
        onChange={setReason}
        isRequired
        autoFocus
      />
    </FormDialog>
  )
}
