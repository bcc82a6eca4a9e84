import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AddressPartsFragment } from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useLanguage, useText } from '../language/language.tsx'
import { Badge, Card } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { returnStatuses } from './order-names.ts'
import type { Order } from './order-page.tsx'

export function CustomerCard({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const { customer, shippingAddress, billingAddress, notes, tags } = order
  return (
    <Card title={t('customer')}>
      {customer !== null && (
        <>
          <div>
            <Link href={`/customers/${customer.id}`} className="strong">
              {customer.name}
            </Link>
            <div className="small muted">{t('ordersCount', { count: customer.orderCount })}</div>
          </div>
          <div className="small">
            <a href={`mailto:${customer.email}`} className="wrap">
              {customer.email}
            </a>
            {customer.phone !== null && <div>{customer.phone}</div>}
          </div>
        </>
      )}
      <div>
        <h3>{t('shippingAddress')}</h3>
        <Address address={shippingAddress} />
      </div>
      {billingAddress !== null && !isSame(billingAddress, shippingAddress) && (
        <div>
          <h3>{t('billingAddress')}</h3>
          <Address address={billingAddress} />
        </div>
      )}
      {notes !== null && notes !== '' && (
        <div>
          <h3>{t('notes')}</h3>
          <p className="note">{notes}</p>
        </div>
      )}
      {tags.length > 0 && (
        <div className="chips">
          {tags.map((tag) => (
            <Badge key={tag} tone="calm">
              {tag}
            </Badge>
          ))}
        </div>
      )}
    </Card>
  )
}

const isSame = (one: AddressPartsFragment, other: AddressPartsFragment): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

export function Address({ address }: { readonly address: AddressPartsFragment }): ReactNode {
  const { locale } = useLanguage()
  const { recipientName, company, line1, line2, city, state, postalCode, country, phone } = address
  const countryName = new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country
  const lines = [recipientName, company, line1, line2, `${city}, ${state} ${postalCode}`, countryName, phone]
  return (
    <address className="small muted pre">
      {lines.filter((line) => line !== null && line !== '').join('\n')}
    </address>
  )
}

export function ReturnsCard({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const names = new Map(order.items.map(({ id, productName }) => [id, productName]))
  if (order.returns.length === 0) return null
  return (
    <Card title={t('returns')}>
      <ul>
        {order.returns.map((each) => (
          <li key={each.id} className="parcel">
            <div className="between">
              <h3>{each.returnNumber}</h3>
              <StatusBadge status={returnStatuses[each.status]} />
            </div>
            <p className="small muted">{dateTime(each.createdAt)}</p>
            <ul className="small">
              {each.items.map(({ orderItemId, quantity }) => (
                <li key={orderItemId}>
                  {quantity} × {names.get(orderItemId)}
                </li>
              ))}
            </ul>
            {each.note !== null && <p className="note">{each.note}</p>}
            {each.rejectionReason !== null && <p className="note">{each.rejectionReason}</p>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
