import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import { CustomerListDocument, type CustomerListQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { Column } from '../ui/data-table.tsx'
import { SearchField } from '../ui/fields.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Empty } from '../ui/states.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { CustomerTabs } from './customer-tabs.tsx'

type Row = CustomerListQuery['customers']['nodes'][number]

const filterNames = ['q'] as const
const connection = ({ customers }: CustomerListQuery) => customers
const keyOf = ({ id }: Row) => id

export default function CustomersPage(): ReactNode {
  const t = useText()
  const [{ q }, change] = useFilters(filterNames)
  const settle = useMemo(() => (text: string) => change({ q: text }), [change])
  const [typed, type] = useTyped(q, settle)
  const pages = usePages({
    subject: 'customers',
    document: CustomerListDocument,
    variables: { searchQuery: q === '' ? null : q },
    connection,
  })
  const columns = useColumns()
  return (
    <Page
      title={t('customers')}
      lead={pages.pending ? '…' : t('customersCount', { count: pages.totalCount })}
    >
      <CustomerTabs at="customers" />
      <ListCard
        label={t('customers')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        filters={<SearchField label={t('searchCustomers')} value={typed} onChange={type} />}
        empty={
          q === '' ? (
            <Empty icon="users" title={t('noCustomers')} text={t('noCustomersText')} />
          ) : (
            <Empty icon="funnel" title={t('nothingFound')} text={t('nothingFoundText')} />
          )
        }
      />
    </Page>
  )
}

function useColumns(): readonly Column<Row>[] {
  const t = useText()
  const { money, date } = useFormat()
  return useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'name',
        title: t('customer'),
        width: 'minmax(12rem, 2fr)',
        phone: 'a',
        cell: ({ id, name, email }) => (
          <span className="two">
            <Link href={`/customers/${id}`} className="cover">
              {name}
            </Link>
            <span className="small muted">{email}</span>
          </span>
        ),
      },
      {
        id: 'kind',
        title: t('account'),
        width: 'minmax(7rem, 1fr)',
        phone: 'd',
        cell: ({ hasAccount, status }) =>
          status === 'BLOCKED' ? (
            <Badge tone="bad">{t('blocked')}</Badge>
          ) : (
            <Badge tone={hasAccount ? 'good' : 'calm'}>{t(hasAccount ? 'hasAccount' : 'guest')}</Badge>
          ),
      },
      {
        id: 'orders',
        title: t('orders'),
        width: 'minmax(5rem, 0.6fr)',
        phone: 'c',
        cell: ({ orderCount }) => t('ordersCount', { count: orderCount }),
      },
      {
        id: 'last',
        title: t('lastOrder'),
        width: 'minmax(7rem, 0.8fr)',
        cell: ({ lastOrderDate }) =>
          lastOrderDate === null ? <span className="muted">–</span> : date(lastOrderDate),
      },
      {
        id: 'spent',
        title: t('spent'),
        width: 'minmax(7rem, 0.8fr)',
        end: true,
        phone: 'b',
        cell: ({ spentByCurrency }) => (
          <span className="strong">
            {spentByCurrency.map(({ amount, currency }) => money(amount, currency)).join(', ') || '–'}
          </span>
        ),
      },
    ],
    [t, money, date],
  )
}
