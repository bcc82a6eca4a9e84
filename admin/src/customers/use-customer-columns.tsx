import { useMemo } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import type { CustomerRowFragment } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Badge } from '../ui/states.tsx'

/** What lists of customers show of each. */
export function useCustomerColumns(): readonly Column<CustomerRowFragment>[] {
  const t = useText()
  const { money, date } = useFormat()
  return useMemo(
    (): readonly Column<CustomerRowFragment>[] => [
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
