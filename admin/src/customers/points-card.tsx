import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import { CustomerPointsDocument, type CustomerPointsQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Badge, Card } from '../ui/states.tsx'
import { noRows, usePages } from '../ui/use-pages.ts'
import { AdjustPoints } from './adjust-points.tsx'
import type { Customer } from './customer-page.tsx'

const connection = ({ customer }: CustomerPointsQuery) => customer?.loyaltyEntries ?? noRows

/** A customer's points, and how they came about, the latest first. */
export function PointsCard({ customer }: { readonly customer: Customer }): ReactNode {
  const t = useText()
  const { number, dateTime } = useFormat()
  const { id } = customer
  const pages = usePages({
    subject: 'customers',
    document: CustomerPointsDocument,
    variables: { id },
    connection,
  })
  return (
    <Card
      title={t('points')}
      actions={customer.anonymizedAt === null && <AdjustPoints customer={customer} />}
    >
      <div className="between">
        <span className="sum-big">{number(customer.loyaltyPoints)}</span>
        {customer.loyaltyTier !== null && <Badge tone="info">{customer.loyaltyTier}</Badge>}
      </div>
      <PagedList
        pages={pages}
        empty={t('noPoints')}
        item={({ id: key, points, balance, reason, createdAt }) => (
          <li key={key} className="parcel">
            <div className="between">
              <span>
                {dateTime(createdAt)} {reason !== null && <span className="muted">· {reason}</span>}
              </span>
              <span className="number">
                <strong>{points > 0 ? `+${number(points)}` : number(points)}</strong>{' '}
                <span className="muted">= {number(balance)}</span>
              </span>
            </div>
          </li>
        )}
      />
    </Card>
  )
}
