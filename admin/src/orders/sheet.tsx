import type { ReactNode } from 'react'
import type { OrderDetailQuery, PrintedShopQuery } from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'

export type PrintedOrder = NonNullable<OrderDetailQuery['order']>
export type PrintedShop = PrintedShopQuery['merchantAccount']

export interface SheetProps {
  readonly order: PrintedOrder
  readonly shop: PrintedShop
}

interface Props extends SheetProps {
  readonly title: string
  readonly children: ReactNode
}

/** What is printed of an order: who sends it, which order it is, and what follows. */
export function Sheet({ order, shop, title, children }: Props): ReactNode {
  const t = useText()
  const { date } = useFormat()
  const { name } = useShop()
  const contact = [shop?.email, shop?.phone, shop?.website].filter((part) => part != null && part !== '')
  return (
    <article className="sheet" aria-label={`${title} ${order.orderNumber}`}>
      <header className="sheet-head">
        <div>
          <p className="sheet-shop">{shop?.name ?? name}</p>
          <p className="small">{contact.join(' · ')}</p>
        </div>
        <div className="sheet-title">
          <h2>{title}</h2>
          <p>{t('orderNumberOf', { number: order.orderNumber })}</p>
          <p>{date(order.createdAt)}</p>
        </div>
      </header>
      {children}
    </article>
  )
}

/** An address without a recipient is the customer's own. */
export const addressedTo = (
  address: PrintedOrder['shippingAddress'],
  { customer }: PrintedOrder,
): PrintedOrder['shippingAddress'] => ({
  ...address,
  recipientName: address.recipientName ?? customer?.name ?? null,
})
