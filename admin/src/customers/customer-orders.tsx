import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import { CustomerOrdersDocument, type CustomerOrdersQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { orderStatuses } from '../orders/order-names.ts'
import { PagedList } from '../ui/paged-list.tsx'
import { Card } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { noRows, usePages } from '../ui/use-pages.ts'

const connection = ({ customer }: CustomerOrdersQuery) => customer?.orders ?? noRows

/** What a customer has ordered, the latest first. */
export function CustomerOrders({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { money, dateTime } = useFormat()
  const pages = usePages({
    subject: 'customers',
    document: CustomerOrdersDocument,
    variables: { id },
    connection,
  })
  return (
    <Card title={t('orders')}>
      <PagedList
        pages={pages}
        empty={t('customerHasNoOrders')}
        item={(order) => (
          <li key={order.id} className="parcel">
            <div className="between">
              <Link href={`/orders/${order.id}`} className="strong">
                {order.orderNumber}
              </Link>
              <StatusBadge status={orderStatuses[order.status]} />
            </div>
            <div className="between small">
              <span className="muted">{dateTime(order.createdAt)}</span>
              <span className="number strong">{money(order.total, order.currency)}</span>
            </div>
          </li>
        )}
      />
    </Card>
  )
}
