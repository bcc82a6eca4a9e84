import type { ReactNode } from 'react'
import { useLoaderData } from 'react-router'
import { CartTotals } from '../cart/cart-totals.tsx'
import { privatePage } from '../language/private-page.ts'
import { useLanguage } from '../language/use-language.tsx'
import { Alert } from '../ui/alert.tsx'
import { loadOrder, type Order, pay } from './order.ts'
import { PaymentForm } from './payment-form.tsx'
import { useStatus } from './use-status.ts'

interface RouteArgs {
  readonly request: Request
  readonly params: { readonly id?: string }
}

export const clientLoader = ({ request, params }: RouteArgs) => loadOrder(params.id ?? '', request.signal)
export const clientAction = async ({ request, params }: RouteArgs) =>
  pay(params.id ?? '', await request.formData())

export const meta = privatePage('yourOrder')
export { HydrateFallback } from '../cart/cart-page.tsx'

export default function OrderPage(): ReactNode {
  const { order, trouble, mayPay } = useLoaderData<typeof clientLoader>()
  const { t } = useLanguage()
  if (order === null)
    return (
      <div className="narrow">
        <h1>{t('noSuchOrder')}</h1>
      </div>
    )
  return (
    <>
      <Alert problem={trouble} />
      <OrderView order={order} mayPay={mayPay} />
    </>
  )
}

function OrderView({ order, mayPay }: { readonly order: Order; readonly mayPay: boolean }): ReactNode {
  const { t, money } = useLanguage()
  const status = useStatus(order)
  const isPaid = order.payments.some((payment) => payment.status === 'SUCCEEDED')
  const awaited = order.payments.find((payment) => payment.instructions !== null)
  return (
    <div className="split">
      <div>
        <h1>{t('order', { number: order.orderNumber })}</h1>
        <p>
          {t('status')}:{' '}
          <output aria-label={t('status')} data-status={status} className="status">
            {t(`status${status}`)}
          </output>
        </p>
        <div role="status">{isPaid && <p className="good">{t('orderPaid')}</p>}</div>
        {awaited !== undefined && (
          <p className="panel">
            {awaited.instructions} {awaited.reference}
          </p>
        )}
        {mayPay && !isPaid && awaited === undefined && status === 'PENDING' && <PaymentForm order={order} />}
        {order.shipments.length > 0 && (
          <section>
            <h2>{t('shipments')}</h2>
            <ul>
              {order.shipments.map(({ id, carrier, trackingNumber }) => (
                <li key={id}>{[carrier, trackingNumber].filter(Boolean).join(' ')}</li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <aside className="panel">
        <ul className="summary">
          {order.items.map(({ id, quantity, productName, subtotal }) => (
            <li key={id}>
              {quantity} × {productName} <span className="amount">{money(subtotal, order.currency)}</span>
            </li>
          ))}
        </ul>
        <CartTotals cart={order} />
      </aside>
    </div>
  )
}
