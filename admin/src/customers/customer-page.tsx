import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { CustomerDetailDocument, type CustomerDetailQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { AddressesCard } from './addresses-card.tsx'
import { BlockButton } from './block-button.tsx'
import { CustomerForm } from './customer-form.tsx'
import { CustomerOrders } from './customer-orders.tsx'
import { InteractionsCard } from './interactions-card.tsx'
import { PersonalDataCard } from './personal-data-card.tsx'
import { PointsCard } from './points-card.tsx'

export type Customer = NonNullable<CustomerDetailQuery['customer']>

export default function CustomerPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { date } = useFormat()
  const { data, error, refetch } = useApi('customers', CustomerDetailDocument, { id })
  const back = { href: '/customers', text: t('customers') }
  const customer = data?.customer
  if (customer === undefined || customer === null)
    return (
      <Page title={t('customer')} back={back}>
        <div className="card">
          {error ? (
            <Failed error={error} retry={() => void refetch()} />
          ) : customer === null ? (
            <Empty icon="search" title={t('noSuchCustomer')} text={t('noSuchOrderText')} />
          ) : (
            <Loading lines={8} />
          )}
        </div>
      </Page>
    )
  const isErased = customer.anonymizedAt !== null
  return (
    <Page
      title={customer.name}
      back={back}
      lead={t('customerSince', { date: date(customer.createdAt) })}
      badges={
        <Badge tone={customer.hasAccount ? 'good' : 'calm'}>
          {t(customer.hasAccount ? 'hasAccount' : 'guest')}
        </Badge>
      }
      actions={!isErased && <BlockButton customer={customer} />}
    >
      {customer.anonymizedAt !== null && (
        <div className="notice">
          <Icon name="info" />
          <p>{t('erasedOn', { date: date(customer.anonymizedAt) })}</p>
        </div>
      )}
      {customer.blockedReason !== null && (
        <div className="notice bad">
          <Icon name="circleAlert" />
          <p>{t('blockedBecause', { reason: customer.blockedReason })}</p>
        </div>
      )}
      {isErased ? (
        <div className="stack">
          <CustomerOrders id={customer.id} />
          <PointsCard customer={customer} />
        </div>
      ) : (
        <div className="split">
          <div className="stack">
            <CustomerOrders id={customer.id} />
            <InteractionsCard customer={customer} />
            <PointsCard customer={customer} />
          </div>
          <div className="stack">
            <Contact customer={customer} />
            <CustomerForm customer={customer} />
            <AddressesCard customer={customer} />
            <PersonalDataCard customer={customer} />
          </div>
        </div>
      )}
    </Page>
  )
}

function Contact({ customer }: { readonly customer: Customer }): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const spent = customer.spentByCurrency.map(({ amount, currency }) => money(amount, currency)).join(', ')
  return (
    <Card title={t('contact')}>
      <div>
        <a href={`mailto:${customer.email}`} className="wrap">
          {customer.email}
        </a>
        {customer.phone !== null && <div className="small">{customer.phone}</div>}
      </div>
      <dl className="facts">
        <dt>{t('spent')}</dt>
        <dd className="number">{spent === '' ? '–' : spent}</dd>
        <dt>{t('orders')}</dt>
        <dd className="number">{customer.orderCount}</dd>
        <dt>{t('newsletter')}</dt>
        <dd>{t(customer.marketingOptIn ? 'yes' : 'no')}</dd>
      </dl>
    </Card>
  )
}
