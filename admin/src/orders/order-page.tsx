import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import { OrderDetailDocument, type OrderDetailQuery } from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { OrderActions } from './order-actions.tsx'
import { CustomerCard } from './order-aside.tsx'
import { LinesCard } from './order-lines.tsx'
import { fulfillmentStatuses, orderStatuses } from './order-names.ts'
import { PaymentsCard } from './payments-card.tsx'
import { ReturnsCard } from './returns-card.tsx'
import { ShipmentsCard } from './shipments-card.tsx'
import { TimelineCard } from './timeline-card.tsx'

type AskedOrder = NonNullable<OrderDetailQuery['order']>

/** An order, as far as the person's roles may see it: without them, it has no payments, and no customer. */
export type Order = Omit<AskedOrder, 'payments' | 'customer'> & {
  readonly payments: NonNullable<AskedOrder['payments']>
  readonly customer: NonNullable<AskedOrder['customer']> | null
}

/** An order, with all that happened to it and all that can be done now. */
export default function OrderPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const payments = useMay('payments:read')
  const { data, error, refetch } = useApi('orders', OrderDetailDocument, {
    id,
    customers: useMay('customers:read'),
    payments,
  })
  const back = { href: '/orders', text: t('orders') }
  if (error)
    return (
      <Page title={t('order')} back={back}>
        <Failed error={error} retry={() => void refetch()} />
      </Page>
    )
  if (data === undefined)
    return (
      <Page title={t('order')} back={back}>
        <div className="card">
          <Loading lines={8} />
        </div>
      </Page>
    )
  if (data.order === null)
    return (
      <Page title={t('order')} back={back}>
        <Empty icon="search" title={t('noSuchOrder')} text={t('noSuchOrderText')} />
      </Page>
    )
  const order: Order = {
    ...data.order,
    payments: data.order.payments ?? [],
    customer: data.order.customer ?? null,
  }
  return (
    <Page
      title={order.orderNumber}
      back={back}
      lead={dateTime(order.createdAt)}
      badges={
        <>
          <StatusBadge status={orderStatuses[order.status]} />
          {order.fulfillment && <StatusBadge status={fulfillmentStatuses[order.fulfillment.status]} />}
        </>
      }
      actions={<OrderActions order={order} />}
    >
      {order.cancelReason !== null && (
        <div className="notice wait">
          <Icon name="info" />
          <p>{t('cancelledBecause', { reason: order.cancelReason })}</p>
        </div>
      )}
      <div className="split">
        <div className="stack">
          <LinesCard order={order} />
          <ShipmentsCard order={order} />
          {payments && <PaymentsCard order={order} />}
          <ReturnsCard order={order} />
        </div>
        <div className="stack">
          <CustomerCard order={order} />
          <TimelineCard order={order} />
        </div>
      </div>
    </Page>
  )
}
