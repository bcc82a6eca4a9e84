import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import type { Order } from './order-page.tsx'

/** The head of a table of lines: what, at which price, how many, and what that comes to. */
export function LinesHead(): ReactNode {
  const t = useText()
  return (
    <thead>
      <tr>
        <th scope="col">{t('product')}</th>
        <th scope="col" className="end">
          {t('price')}
        </th>
        <th scope="col" className="end">
          {t('quantity')}
        </th>
        <th scope="col" className="end">
          {t('total')}
        </th>
      </tr>
    </thead>
  )
}

type TotalledOrder = Pick<
  Order,
  'currency' | 'subtotal' | 'discount' | 'coupon' | 'shipping' | 'tax' | 'total'
>

interface Props {
  readonly order: TotalledOrder
  /** What the shipping is called. */
  readonly shipping: string
  /** Further rows. */
  readonly children?: ReactNode
}

/** What an order comes to. */
export function OrderTotals({ order, shipping, children }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const amount = (minor: number) => money(minor, order.currency)
  return (
    <dl className="facts">
      <dt>{t('subtotal')}</dt>
      <dd className="number">{amount(order.subtotal)}</dd>
      {order.discount > 0 && (
        <>
          <dt>{order.coupon === null ? t('discount') : t('discountBy', { code: order.coupon.code })}</dt>
          <dd className="number">−{amount(order.discount)}</dd>
        </>
      )}
      <dt>{shipping}</dt>
      <dd className="number">{amount(order.shipping)}</dd>
      <dt>{t('tax')}</dt>
      <dd className="number">{amount(order.tax)}</dd>
      <dt className="total">{t('total')}</dt>
      <dd className="total number">{amount(order.total)}</dd>
      {children}
    </dl>
  )
}
