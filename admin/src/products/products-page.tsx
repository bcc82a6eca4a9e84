import { type ReactNode, useMemo } from 'react'
import { Link, useSearch } from 'wouter'
import { useFormat } from '../format/format.ts'
import { ProductListDocument, type ProductListQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import type { Column } from '../ui/data-table.tsx'
import { SearchField, Select } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Empty, Thumb } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { isProductStatus, productStatuses } from './product-names.ts'

type Row = ProductListQuery['products']['nodes'][number]

const filterNames = ['q', 'status'] as const
const connection = ({ products }: ProductListQuery) => products
const keyOf = ({ id }: Row) => id

export default function ProductsPage(): ReactNode {
  const t = useText()
  const [{ q, status }, change] = useFilters(filterNames)
  const search = useSearch()
  const settle = useMemo(() => (text: string) => change({ q: text }), [change])
  const [typed, type] = useTyped(q, settle)
  const pages = usePages({
    subject: 'products',
    document: ProductListDocument,
    variables: { searchQuery: q === '' ? null : q, filters: isProductStatus(status) ? { status } : {} },
    connection,
  })
  const columns = useColumns()
  const statuses = Object.entries(productStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  const mayWrite = useMay('products:write')
  const create = mayWrite && (
    <Link href="/products/new" className="button primary">
      <Icon name="plus" size={16} /> {t('newProduct')}
    </Link>
  )
  return (
    <Page
      title={t('products')}
      lead={pages.pending ? '…' : t('productsCount', { count: pages.totalCount })}
      actions={
        <>
          <Link href="/products/categories" className="button">
            <Icon name="folderTree" size={16} /> {t('categories')}
          </Link>
          {mayWrite && (
            <Link href={search === '' ? '/products/bulk' : `/products/bulk?${search}`} className="button">
              <Icon name="table" size={16} /> {t('bulkEdit')}
            </Link>
          )}
          {create}
        </>
      }
    >
      <ListCard
        label={t('products')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        filters={
          <>
            <SearchField label={t('searchProducts')} value={typed} onChange={type} />
            <Select
              label={t('status')}
              labelHidden
              value={status}
              onChange={(next) => change({ status: next })}
              choices={[{ id: '', text: t('allStatuses') }, ...statuses]}
            />
          </>
        }
        empty={
          q === '' && status === '' ? (
            <Empty icon="package" title={t('noProducts')} text={t('noProductsText')}>
              {create}
            </Empty>
          ) : (
            <Empty icon="funnel" title={t('nothingFound')} text={t('nothingFoundText')}>
              <Link href="/products" className="button">
                {t('clearFilters')}
              </Link>
            </Empty>
          )
        }
      />
    </Page>
  )
}

function useColumns(): readonly Column<Row>[] {
  const t = useText()
  const { money, number } = useFormat()
  return useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'name',
        title: t('product'),
        width: 'minmax(14rem, 2.4fr)',
        phone: 'a',
        cell: ({ id, name, sku, images, variants }) => (
          <span className="with-thumb">
            <Thumb url={images[0]?.url ?? null} icon="package" />
            <span className="two">
              <Link href={`/products/${id}`} className="cover">
                {name}
              </Link>
              <span className="small muted">
                {sku}
                {variants.length > 0 && ` · ${t('variantsCount', { count: variants.length })}`}
              </span>
            </span>
          </span>
        ),
      },
      {
        id: 'status',
        title: t('status'),
        width: 'minmax(6.5rem, 0.8fr)',
        phone: 'd',
        cell: ({ status }) => <StatusBadge status={productStatuses[status]} />,
      },
      {
        id: 'stock',
        title: t('available'),
        width: 'minmax(7rem, 0.8fr)',
        phone: 'c',
        cell: ({ inventory }) =>
          inventory === null ? (
            <span className="muted">–</span>
          ) : (
            <Badge tone={inventory.available === 0 ? 'bad' : inventory.isLowStock ? 'wait' : 'calm'}>
              {t('inStock', { count: inventory.available })}
            </Badge>
          ),
      },
      {
        id: 'sold',
        title: t('sold'),
        width: 'minmax(4rem, 0.5fr)',
        end: true,
        cell: ({ totalSold }) => number(totalSold),
      },
      {
        id: 'price',
        title: t('price'),
        width: 'minmax(6rem, 0.6fr)',
        end: true,
        phone: 'b',
        cell: ({ price, currency }) => <span className="strong">{money(price, currency)}</span>,
      },
    ],
    [t, money, number],
  )
}
