import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { AdjustPointsDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Customer } from './customer-page.tsx'

interface Props {
  readonly customer: Customer
}

export function AdjustPoints({ customer }: Props): ReactNode {
  const t = useText()
  const mayWrite = useMay('customers:write')
  const [open, setOpen] = useState(false)
  if (!mayWrite) return null
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('adjustPoints')}</Button>
      {open && <PointsDialog customer={customer} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Gives or takes points, with the sum that there will be. */
function PointsDialog({ customer, onClose }: Props & { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const { number } = useFormat()
  const [points, setPoints] = useState(0)
  const [reason, setReason] = useState('')
  const { run, error, pending } = useChange(AdjustPointsDocument, ['customers'])
  const submit = async () => {
    if ((await run({ input: { customerId: customer.id, points, reason } })) === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={t('adjustPoints')}
      narrow
      fields={['points', 'reason']}
      error={error}
      submit={t('save')}
      pending={pending}
      disabled={points === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
      aside={
        <div className="sum" role="status">
          <div className="small muted">{t('afterwards')}</div>
          <div className="sum-big">{number(customer.loyaltyPoints + points)}</div>
        </div>
      }
    >
      <NumberField
        name="points"
        label={t('points')}
        hint={t('pointsHint')}
        value={points}
        onChange={(value) => setPoints(Number.isNaN(value) ? 0 : value)}
      />
      <TextField name="reason" label={t('reason')} value={reason} onChange={setReason} isRequired />
    </FormDialog>
  )
}
