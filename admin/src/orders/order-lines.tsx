import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { Badge, Card, Thumb } from '../ui/states.tsx'
import type { Order } from './order-page.tsx'
import { LinesHead, OrderTotals } from './order-totals.tsx'
import { unpacked } from './units.ts'

type Line = Order['items'][number]

/** The variant's options and the line's own properties: `Size M · Engraving: Ada`. */
export const detailsOf = ({ variant, properties }: Pick<Line, 'variant' | 'properties'>): string =>
  [
    ...(variant?.options.map(({ name, value }) => `${name} ${value}`) ?? []),
    ...properties.map(({ name, value }) => `${name}: ${value}`),
  ].join(' · ')

export function LinesCard({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const amount = (minor: number) => money(minor, order.currency)
  return (
    <Card title={t('lines')}>
      <table className="grid-table stacked">
        <LinesHead />
        <tbody>
          {order.items.map((line) => (
            <tr key={line.id}>
              <td>
                <div className="with-thumb">
                  <Thumb url={line.productImage} icon="package" />
                  <div className="wrap">
                    <span className="strong">{line.productName}</span>
                    <div className="small muted">
                      {[line.sku, detailsOf(line)].filter(Boolean).join(' · ')}
                    </div>
                    <LineState line={line} />
                  </div>
                </div>
              </td>
              <td className="end">{amount(line.price)}</td>
              <td className="end">× {line.quantity}</td>
              <td className="end strong">{amount(line.subtotal)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <OrderTotals
        order={order}
        shipping={
          order.shippingMethod === null ? t('shipping') : `${t('shipping')}, ${order.shippingMethod.name}`
        }
      />
    </Card>
  )
}

/** Where the line's units are, as far as it isn't told by the order's own state. */
function LineState({ line }: { readonly line: Line }): ReactNode {
  const t = useText()
  const packed = line.packedQuantity - line.fulfilledQuantity
  const parts = [
    line.fulfilledQuantity > 0 && (
      <Badge tone="good">{t('unitsSent', { count: line.fulfilledQuantity })}</Badge>
    ),
    packed > 0 && <Badge tone="info">{t('unitsPacked', { count: packed })}</Badge>,
    line.fulfilledQuantity + packed > 0 && unpacked(line) > 0 && (
      <Badge tone="wait">{t('unitsOpen', { count: unpacked(line) })}</Badge>
    ),
    line.refundedQuantity > 0 && (
      <Badge tone="calm">{t('unitsRefunded', { count: line.refundedQuantity })}</Badge>
    ),
    line.returnedQuantity > 0 && (
      <Badge tone="calm">{t('unitsReturned', { count: line.returnedQuantity })}</Badge>
    ),
  ]
  return parts.some(Boolean) ? (
    <div className="chips">
      {parts.map((part, index) => (
        <span key={index}>{part}</span>
      ))}
    </div>
  ) : null
}
