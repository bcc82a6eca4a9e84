import type { ReactNode } from 'react'
import { useLanguage } from '../language/use-language.tsx'

interface Amounts {
  readonly currency: string
  readonly subtotal: number
  readonly discount: number
  readonly shipping: number
  readonly tax: number
  readonly total: number
}

/** The sums of a cart or an order, as the shop has worked them out. */
export function CartTotals({ cart }: { readonly cart: Amounts }): ReactNode {
  const { t, money } = useLanguage()
  const rows = [
    ['goods', cart.subtotal, true],
    ['discount', -cart.discount, cart.discount !== 0],
    ['shipping', cart.shipping, cart.shipping !== 0],
    ['tax', cart.tax, cart.tax !== 0],
  ] as const
  return (
    <dl className="totals">
      {rows.map(
        ([name, amount, shown]) =>
          shown && (
            <div key={name}>
              <dt>{t(name)}</dt>
              <dd>{money(amount, cart.currency)}</dd>
            </div>
          ),
      )}
      <div className="sum">
        <dt>{t('total')}</dt>
        <dd>{money(cart.total, cart.currency)}</dd>
      </div>
    </dl>
  )
}
