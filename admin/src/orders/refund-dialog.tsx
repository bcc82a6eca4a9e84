import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { RefundOrderDocument } from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, NumberField, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { detailsOf } from './order-lines.tsx'
import type { Order } from './order-page.tsx'
import { refundable, refundableShipping, refundOfUnits } from './units.ts'

interface Props {
  readonly order: Order
  readonly onClose: () => void
}

/** Gives the money of units back. What it comes to is shown before anything is sent. */
export function RefundDialog({ order, onClose }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const lines = order.items.filter((line) => refundable(order, line) > 0)
  const [units, setUnits] = useState(new Map<string, number>())
  const [restock, setRestock] = useState(new Set<string>())
  const [shipping, setShipping] = useState(false)
  const [reason, setReason] = useState('')
  const { run, error, pending } = useChange(RefundOrderDocument, ['orders', 'home', 'stock'])
  const unitsOf = (id: string) => units.get(id) ?? 0
  const chosen = lines.filter(({ id }) => unitsOf(id) > 0)
  const shippingLeft = refundableShipping(order)
  const ofLines = chosen.reduce((sum, line) => sum + refundOfUnits(line, unitsOf(line.id)), 0)
  const sum = ofLines + (shipping ? shippingLeft : 0)
  const amount = (minor: number) => money(minor, order.currency)
  const submit = async () => {
    const items = chosen.map((line) => ({
      orderItemId: line.id,
      quantity: unitsOf(line.id),
      ...(line.fulfilledQuantity > 0 && { restock: restock.has(line.id) }),
    }))
    if ((await run({ id: order.id, input: { items, reason, shipping } })) === null) return
    tell(t('refundedAmount', { amount: amount(sum) }))
    onClose()
  }
  return (
    <FormDialog
      title={t('refundTitle', { order: order.orderNumber })}
      fields={[...chosen.map((_line, index) => `items.${index}.quantity`), 'reason']}
      error={error}
      submit={t('refundAmount', { amount: amount(sum) })}
      danger
      pending={pending}
      disabled={chosen.length === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
      aside={
        <div className="sum" role="status">
          <div className="small muted">{t('customerGetsBack')}</div>
          <div className="sum-big">{amount(sum)}</div>
        </div>
      }
    >
      <div>
        {lines.map((line) => (
          <div key={line.id} className="pick">
            <div className="wrap">
              <span className="strong">{line.productName}</span>
              <div className="small muted">
                {[line.sku, detailsOf(line), t('refundableUnits', { count: refundable(order, line) })]
                  .filter(Boolean)
                  .join(' · ')}
              </div>
            </div>
            <NumberField
              name={`items.${chosen.indexOf(line)}.quantity`}
              label={t('unitsOf', { product: line.productName })}
              labelHidden
              minValue={0}
              maxValue={refundable(order, line)}
              value={unitsOf(line.id)}
              onChange={(value) => setUnits(new Map(units).set(line.id, Number.isNaN(value) ? 0 : value))}
            />
            {unitsOf(line.id) > 0 && (
              <div className="extra between small">
                {line.fulfilledQuantity > 0 ? (
                  <Checkbox
                    isSelected={restock.has(line.id)}
                    onChange={(on) => {
                      const next = new Set(restock)
                      if (on) next.add(line.id)
                      else next.delete(line.id)
                      setRestock(next)
                    }}
                  >
                    {t('restock')}
                  </Checkbox>
                ) : (
                  <span className="muted">{t('restocksUnsent')}</span>
                )}
                <span className="number">{amount(refundOfUnits(line, unitsOf(line.id)))}</span>
              </div>
            )}
          </div>
        ))}
      </div>
      {shippingLeft > 0 && (
        <div className="between">
          <Checkbox isSelected={shipping} onChange={setShipping}>
            {t('refundShipping')}
          </Checkbox>
          <span className="number">{amount(shippingLeft)}</span>
        </div>
      )}
      <TextField
        name="reason"
        label={t('reason')}
        hint={t('reasonHint')}
        value={reason}
        onChange={setReason}
        isRequired
      />
    </FormDialog>
  )
}
