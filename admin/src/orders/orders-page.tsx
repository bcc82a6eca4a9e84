import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'wouter'
import {
  type FulfillmentStatus,
  type OrderFilters,
  OrderListDocument,
  type OrderListQuery,
  type OrderSortField,
  type OrderStatus,
} from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { addDays, startOfDay } from '../format/shop-days.ts'
import { type Translate, useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Checkbox, SearchField, Select } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { type Filters, useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { BulkBar } from './bulk-bar.tsx'
import { fulfillmentStatuses, orderStatuses, paymentStatuses } from './order-names.ts'
import { SavedViews } from './saved-views.tsx'

export const filterNames = ['q', 'status', 'sent', 'since', 'until', 'sort'] as const
export type OrderFilterName = (typeof filterNames)[number]

type OrderRow = OrderListQuery['orders']['nodes'][number]

const sorts = {
  newest: { sortBy: 'CREATED_AT', sortOrder: 'DESC' },
  oldest: { sortBy: 'CREATED_AT', sortOrder: 'ASC' },
  largest: { sortBy: 'TOTAL', sortOrder: 'DESC' },
  changed: { sortBy: 'UPDATED_AT', sortOrder: 'DESC' },
} as const satisfies Record<string, { sortBy: OrderSortField; sortOrder: 'ASC' | 'DESC' }>

/** Statuses by their names in the address; `open` is what still has to be sent. */
function statusesOf(text: string): readonly OrderStatus[] | undefined {
  const named = text.split(',').filter((name): name is OrderStatus => Object.hasOwn(orderStatuses, name))
  return named.length > 0 ? named : undefined
}

function variablesOf({ q, status, sent, since, until, sort }: Filters<OrderFilterName>, timeZone: string) {
  const statuses = statusesOf(status)
  const filters: OrderFilters = {
    ...(statuses !== undefined && { statuses }),
    ...(Object.hasOwn(fulfillmentStatuses, sent) && { fulfillmentStatus: sent as FulfillmentStatus }),
    ...(isDate(since) && { startDate: startOfDay(since, timeZone).toISOString() }),
    ...(isDate(until) && {
      endDate: new Date(startOfDay(addDays(until, 1), timeZone).getTime() - 1).toISOString(),
    }),
  }
  const order = Object.hasOwn(sorts, sort) ? sorts[sort as keyof typeof sorts] : sorts.newest
  return { filters, searchQuery: q === '' ? null : q, ...order }
}

const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text)
const connection = ({ orders }: OrderListQuery) => orders
const keyOf = ({ id }: OrderRow) => id

export default function OrdersPage(): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const [filters, change] = useFilters(filterNames)
  const pages = usePages({
    subject: 'orders',
    document: OrderListDocument,
    variables: {
      ...variablesOf(filters, timeZone),
      customers: useMay('customers:read'),
      payments: useMay('payments:read'),
    },
    connection,
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(none)
  const columns = useColumns()
  const withBoxes = useMemo(() => [boxColumn(t, chosen, setChosen), ...columns], [t, chosen, columns])
  // What isn't in the list any more, because it was filtered away, is chosen no longer.
  const selected = pages.rows.filter(({ id }) => chosen.has(id))
  const isFiltered = filterNames.some((name) => filters[name] !== '')
  return (
    <Page title={t('orders')} lead={pages.pending ? '…' : t('ordersCount', { count: pages.totalCount })}>
      <SavedViews filters={filters} change={change} />
      <div className="card">
        <OrderFilterBar filters={filters} change={change} />
        {selected.length > 0 && <BulkBar selected={selected} onClear={() => setChosen(none)} />}
        {pages.error !== null ? (
          <Failed error={pages.error} retry={pages.retry} />
        ) : pages.pending ? (
          <Loading lines={8} />
        ) : pages.rows.length === 0 ? (
          <NoOrders filtered={isFiltered} />
        ) : (
          <DataTable label={t('orders')} columns={withBoxes} rowKey={keyOf} {...pages} />
        )}
      </div>
    </Page>
  )
}

const none: ReadonlySet<string> = new Set()

/** A box in each row, for what is done with several orders at once. */
const boxColumn = (
  t: Translate,
  chosen: ReadonlySet<string>,
  choose: (chosen: ReadonlySet<string>) => void,
): Column<OrderRow> => ({
  id: 'chosen',
  title: '',
  width: '1.4rem',
  phone: 'box',
  cell: ({ id, orderNumber }) => (
    <span className="over">
      <Checkbox
        aria-label={t('chooseOrder', { order: orderNumber })}
        isSelected={chosen.has(id)}
        onChange={(on) => {
          const next = new Set(chosen)
          if (on) next.add(id)
          else next.delete(id)
          choose(next)
        }}
      />
    </span>
  ),
})

function NoOrders({ filtered }: { readonly filtered: boolean }): ReactNode {
  const t = useText()
  return filtered ? (
    <Empty icon="funnel" title={t('nothingFound')} text={t('nothingFoundText')}>
      <Link href="/orders" className="button">
        {t('clearFilters')}
      </Link>
    </Empty>
  ) : (
    <Empty icon="shoppingBag" title={t('noOrders')} text={t('noOrdersText')} />
  )
}

interface BarProps {
  readonly filters: Filters<OrderFilterName>
  readonly change: (changed: Partial<Filters<OrderFilterName>>) => void
}

function OrderFilterBar({ filters, change }: BarProps): ReactNode {
  const t = useText()
  const settle = useMemo(() => (q: string) => change({ q }), [change])
  const [typed, type] = useTyped(filters.q, settle)
  const statuses = Object.entries(orderStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  const sents = Object.entries(fulfillmentStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  const { day } = useFormat()
  const { timeZone } = useShop()
  const dayOf = (text: string) => (isDate(text) ? day(startOfDay(text, timeZone).toISOString()) : '…')
  const several = filters.status.includes(',') ? [{ id: filters.status, text: t('severalStatuses') }] : []
  return (
    <div className="filters" role="search" aria-label={t('filterOrders')}>
      <SearchField label={t('searchOrders')} value={typed} onChange={type} />
      <Select
        label={t('status')}
        labelHidden
        value={filters.status}
        onChange={(status) => change({ status })}
        choices={[{ id: '', text: t('allStatuses') }, ...several, ...statuses]}
      />
      <Select
        label={t('delivery')}
        labelHidden
        value={filters.sent}
        onChange={(sent) => change({ sent })}
        choices={[{ id: '', text: t('allDeliveries') }, ...sents]}
      />
      <Select
        label={t('sortBy')}
        labelHidden
        value={filters.sort === '' ? 'newest' : filters.sort}
        onChange={(sort) => change({ sort: sort === 'newest' ? '' : sort })}
        choices={[
          { id: 'newest', text: t('newestFirst') },
          { id: 'oldest', text: t('oldestFirst') },
          { id: 'largest', text: t('largestFirst') },
          { id: 'changed', text: t('lastChangedFirst') },
        ]}
      />
      {(filters.since !== '' || filters.until !== '') && (
        <Button icon="x" onPress={() => change({ since: '', until: '' })}>
          {t('between', { since: dayOf(filters.since), until: dayOf(filters.until) })}
        </Button>
      )}
    </div>
  )
}

function useColumns(): readonly Column<OrderRow>[] {
  const t = useText()
  const { money, dateTime } = useFormat()
  return useMemo(
    () => [
      {
        id: 'number',
        title: t('order'),
        width: 'minmax(9.5rem, 1.1fr)',
        phone: 'a',
        cell: ({ id, orderNumber, createdAt }) => (
          <span className="two">
            <Link href={`/orders/${id}`} className="cover">
              {orderNumber}
            </Link>
            <span className="small muted">{dateTime(createdAt)}</span>
          </span>
        ),
      },
      {
        id: 'customer',
        title: t('customer'),
        width: 'minmax(9rem, 1.6fr)',
        phone: 'c',
        cell: ({ customer }) =>
          customer && (
            <span className="two">
              <span>{customer.name}</span>
              <span className="small muted">{customer.email}</span>
            </span>
          ),
      },
      {
        id: 'status',
        title: t('status'),
        width: 'minmax(7.5rem, 0.9fr)',
        phone: 'd',
        cell: ({ status }) => <StatusBadge status={orderStatuses[status]} />,
      },
      {
        id: 'payment',
        title: t('payment'),
        width: 'minmax(8rem, 0.9fr)',
        cell: ({ payment }) =>
          payment === undefined ? (
            <span className="muted">–</span>
          ) : payment === null ? (
            <span className="muted">{t('noPayment')}</span>
          ) : (
            <StatusBadge status={paymentStatuses[payment.status]} />
          ),
      },
      {
        id: 'delivery',
        title: t('delivery'),
        width: 'minmax(7.5rem, 0.9fr)',
        cell: ({ fulfillment, status }) =>
          fulfillment &&
          status !== 'CANCELLED' && <StatusBadge status={fulfillmentStatuses[fulfillment.status]} />,
      },
      {
        id: 'total',
        title: t('total'),
        width: 'minmax(6rem, 0.8fr)',
        end: true,
        phone: 'b',
        cell: ({ total, currency, itemCount }) => (
          <span className="two">
            <span className="strong">{money(total, currency)}</span>
            <span className="small muted">{t('units', { count: itemCount })}</span>
          </span>
        ),
      },
    ],
    [t, money, dateTime],
  )
}
