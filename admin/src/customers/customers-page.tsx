import { type ReactNode, useMemo } from 'react'
import {
  CustomerListDocument,
  type CustomerListQuery,
  type CustomerRowFragment,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { SearchField } from '../ui/fields.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { CustomerTabs } from './customer-tabs.tsx'
import { useCustomerColumns } from './use-customer-columns.tsx'

const filterNames = ['q'] as const
const connection = ({ customers }: CustomerListQuery) => customers
const keyOf = ({ id }: CustomerRowFragment) => id

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
  const columns = useCustomerColumns()
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
