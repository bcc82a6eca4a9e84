import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { Address } from './order-aside.tsx'
import { detailsOf } from './order-lines.tsx'
import { LinesHead, OrderTotals } from './order-totals.tsx'
import { addressedTo, Sheet, type SheetProps } from './sheet.tsx'

/** What was bought, and what it came to. Its number is that of the order. */
export function Invoice({ order, shop }: SheetProps): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const amount = (minor: number) => money(minor, order.currency)
  const refunded = (order.payments ?? []).reduce((sum, each) => sum + each.refundedAmount, 0)
  return (
    <Sheet order={order} shop={shop} title={t('invoice')}>
      <div className="sheet-columns">
        <div>
          <h3>{t('billingAddress')}</h3>
          <Address address={addressedTo(order.billingAddress ?? order.shippingAddress, order)} />
        </div>
        <div>
          <h3>{t('shippingAddress')}</h3>
          <Address address={addressedTo(order.shippingAddress, order)} />
        </div>
      </div>
      <table className="grid-table">
        <LinesHead />
        <tbody>
          {order.items.map((line) => (
            <tr key={line.id}>
              <td>
                <span className="strong">{line.productName}</span>
                <div className="small">{[line.sku, detailsOf(line)].filter(Boolean).join(' · ')}</div>
              </td>
              <td className="end">{amount(line.price)}</td>
              <td className="end">{line.quantity}</td>
              <td className="end">{amount(line.subtotal)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <OrderTotals order={order} shipping={t('shipping')}>
        {refunded > 0 && (
          <>
            <dt>{t('refunded')}</dt>
            <dd className="number">−{amount(refunded)}</dd>
          </>
        )}
      </OrderTotals>
    </Sheet>
  )
}
