import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AddressPartsFragment } from '../generated/operations.ts'
import { useLanguage, useText } from '../language/language.tsx'
import { Badge, Card } from '../ui/states.tsx'
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
