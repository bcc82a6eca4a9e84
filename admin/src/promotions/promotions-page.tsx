import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import {
  PromotionListDocument,
  type PromotionListQuery,
  type PromotionStatus,
} from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import type { Column } from '../ui/data-table.tsx'
import { SearchField, Select } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { CartSimulator } from './cart-simulator.tsx'
import { PromotionCalendar } from './promotion-calendar.tsx'
import { promotionStatuses, useDiscountInWords } from './promotion-names.ts'

type Row = PromotionListQuery['promotions']['nodes'][number]

interface Tab {
  readonly id: string
  readonly name: MessageName
  readonly permission: string
  readonly show: () => ReactNode
}

const tabs: readonly Tab[] = [
  { id: 'list', name: 'promotionList', permission: 'promotions:read', show: () => <PromotionList /> },
  { id: 'calendar', name: 'calendar', permission: 'promotions:read', show: () => <PromotionCalendar /> },
  // The cart to price is a draft of an order, which is deleted again.
  { id: 'simulator', name: 'simulator', permission: 'orders:write', show: () => <CartSimulator /> },
]

/** All promotions, as a list and over time, and what a cart would pay. */
export default function PromotionsPage({ tab = 'list' }: { readonly tab?: string | undefined }): ReactNode {
  const t = useText()
  const { permissions } = useShop()
  const mayWrite = useMay('promotions:write')
  const shown = tabs.filter(({ permission }) => permissions.has(permission))
  const current = shown.find(({ id }) => id === tab)
  return (
    <Page
      title={t('promotions')}
      actions={
        mayWrite && (
          <Link href="/promotions/new" className="button primary">
            <Icon name="plus" size={16} /> {t('newPromotion')}
          </Link>
        )
      }
    >
      <nav className="tabs" aria-label={t('promotions')}>
        {shown.map(({ id, name }) => (
          <Link
            key={id}
            href={id === 'list' ? '/promotions' : `/promotions/${id}`}
            className="tab"
            aria-current={id === current?.id ? 'page' : undefined}
          >
            {t(name)}
          </Link>
        ))}
      </nav>
      {current === undefined ? (
        <Empty icon="key" title={t('forbiddenTitle')} text={t('forbiddenText')} />
      ) : (
        current.show()
      )}
    </Page>
  )
}

const filterNames = ['q', 'status'] as const
const connection = ({ promotions }: PromotionListQuery) => promotions
const keyOf = ({ id }: Row) => id
/** Letters that the search takes. */
const fewest = 2

function PromotionList(): ReactNode {
  const t = useText()
  const [{ q, status }, change] = useFilters(filterNames)
  const settle = useMemo(() => (text: string) => change({ q: text }), [change])
  const [typed, type] = useTyped(q, settle)
  const pages = usePages({
    subject: 'promotions',
    document: PromotionListDocument,
    variables: {
      filters: {
        ...(q.length >= fewest && { searchQuery: q }),
        ...(status in promotionStatuses && { status: status as PromotionStatus }),
      },
    },
    connection,
  })
  const columns = useColumns()
  const statuses = Object.entries(promotionStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  return (
    <ListCard
      label={t('promotions')}
      columns={columns}
      pages={pages}
      rowKey={keyOf}
      filters={
        <>
          <SearchField label={t('searchPromotions')} value={typed} onChange={type} />
          <Select
            label={t('status')}
            labelHidden
            value={status === '' ? 'all' : status}
            onChange={(next) => change({ status: next === 'all' ? '' : next })}
            choices={[{ id: 'all', text: t('allStatuses') }, ...statuses]}
          />
        </>
      }
      empty={
        q === '' && status === '' ? (
          <Empty icon="tag" title={t('noPromotions')} text={t('noPromotionsText')} />
        ) : (
          <Empty icon="funnel" title={t('nothingFound')} text={t('nothingFoundText')} />
        )
      }
    />
  )
}

function useColumns(): readonly Column<Row>[] {
  const t = useText()
  const { date, number } = useFormat()
  const inWords = useDiscountInWords()
  return [
    {
      id: 'name',
      title: t('promotion'),
      width: 'minmax(12rem, 2fr)',
      phone: 'a',
      cell: ({ id, name, code, campaign }) => (
        <span className="two">
          <Link href={`/promotions/edit/${id}`} className="cover">
            {name}
          </Link>
          <span className="small muted">
            {[code ?? t('appliesByItself'), campaign?.name].filter((part) => part !== undefined).join(' · ')}
          </span>
        </span>
      ),
    },
    {
      id: 'discount',
      title: t('discount'),
      width: 'minmax(8rem, 1fr)',
      phone: 'c',
      cell: inWords,
    },
    {
      id: 'status',
      title: t('status'),
      width: 'minmax(7rem, 0.7fr)',
      phone: 'b',
      cell: ({ status }) => <StatusBadge status={promotionStatuses[status]} />,
    },
    {
      id: 'time',
      title: t('period'),
      width: 'minmax(12rem, 1.2fr)',
      cell: ({ startDate, endDate }) => `${date(startDate)} – ${date(endDate)}`,
    },
    {
      id: 'used',
      title: t('used'),
      width: 'minmax(5rem, 0.6fr)',
      end: true,
      phone: 'd',
      cell: ({ usageCount, usageLimit }) =>
        usageLimit === null
          ? number(usageCount)
          : t('usedOf', { count: number(usageCount), limit: number(usageLimit) }),
    },
  ]
}
