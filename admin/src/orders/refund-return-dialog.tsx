import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { RefundReturnDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Order } from './order-page.tsx'
import type { Return } from './returns-card.tsx'
import { refundableShipping, refundOfUnits } from './units.ts'

interface Props {
  readonly order: Order
  readonly item: Return
  readonly onClose: () => void
}

/** Gives back what was paid for the units that came. */
export function RefundReturnDialog({ order, item, onClose }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const [shipping, setShipping] = useState(false)
  const { run, error, pending } = useChange(RefundReturnDocument, ['orders', 'home'])
  const amount = (minor: number) => money(minor, order.currency)
  const shippingLeft = refundableShipping(order)
  const lines = item.items.flatMap(({ orderItemId, quantity }) => {
    const line = order.items.find(({ id }) => id === orderItemId)
    return line === undefined ? [] : [{ line, quantity, sum: refundOfUnits(line, quantity) }]
  })
  const sum = lines.reduce((total, each) => total + each.sum, shipping ? shippingLeft : 0)
  const submit = async () => {
    const done = await run({ id: item.id, input: { shipping } })
    if (done === null) return
    tell(t('refundedAmount', { amount: amount(done.refundReturn?.refund?.amount ?? sum) }))
    onClose()
  }
  return (
    <FormDialog
      title={t('refundReturnTitle', { number: item.returnNumber })}
      fields={['shipping']}
      error={error}
      submit={t('refundAmount', { amount: amount(sum) })}
      danger
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
      aside={
        <div className="sum" role="status">
          <div className="small muted">{t('customerGetsBack')}</div>
          <div className="sum-big">{amount(sum)}</div>
        </div>
      }
    >
      <dl className="facts">
        {lines.map(({ line, quantity, sum: ofLine }) => (
          <div key={line.id} className="row-of-facts">
            <dt>
              {quantity} × {line.productName}
            </dt>
            <dd className="number">{amount(ofLine)}</dd>
          </div>
        ))}
      </dl>
      {shippingLeft > 0 && (
        <div className="between">
          <Checkbox isSelected={shipping} onChange={setShipping}>
            {t('refundShipping')}
          </Checkbox>
          <span className="number">{amount(shippingLeft)}</span>
        </div>
      )}
    </FormDialog>
  )
}
