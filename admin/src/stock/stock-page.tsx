import './stock.css'
import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { LowStockListDocument, type LowStockListQuery } from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Empty } from '../ui/states.tsx'
import { usePages } from '../ui/use-pages.ts'
import { AdjustDialog } from './adjust-dialog.tsx'
import { ArrivalsTab } from './arrivals-tab.tsx'
import { LedgerTab } from './ledger-tab.tsx'
import { LevelsTab } from './levels-tab.tsx'
import { ThresholdDialog } from './threshold-dialog.tsx'
import { TransfersTab } from './transfers-tab.tsx'
import { WarehousesTab } from './warehouses-tab.tsx'

const tabs = [
  { path: '/stock', tab: undefined, name: 'stockAtRisk' },
  { path: '/stock/levels', tab: 'levels', name: 'levels' },
  { path: '/stock/transfers', tab: 'transfers', name: 'transfers' },
  { path: '/stock/arrivals', tab: 'arrivals', name: 'arrivals' },
  { path: '/stock/warehouses', tab: 'warehouses', name: 'warehouses' },
  { path: '/stock/ledger', tab: 'ledger', name: 'ledger' },
] as const satisfies readonly { path: string; tab: string | undefined; name: MessageName }[]

export default function StockPage({ tab }: { readonly tab: string | undefined }): ReactNode {
  const t = useText()
  const mayWrite = useMay('inventory:write')
  const [adjusting, setAdjusting] = useState(false)
  const shown = tabs.find((each) => each.tab === tab)?.tab
  return (
    <Page
      title={t('stock')}
      actions={
        mayWrite && (
          <Button look="primary" onPress={() => setAdjusting(true)}>
            {t('adjustStock')}
          </Button>
        )
      }
    >
      <nav className="tabs" aria-label={t('stock')}>
        {tabs.map((each) => (
          <Link
            key={each.path}
            href={each.path}
            className="tab"
            aria-current={each.tab === shown ? 'page' : undefined}
          >
            {t(each.name)}
          </Link>
        ))}
      </nav>
      <Tab shown={shown} />
      {adjusting && <AdjustDialog onClose={() => setAdjusting(false)} />}
    </Page>
  )
}

function Tab({ shown }: { readonly shown: (typeof tabs)[number]['tab'] }): ReactNode {
  switch (shown) {
    case 'levels':
      return <LevelsTab />
    case 'transfers':
      return <TransfersTab />
    case 'arrivals':
      return <ArrivalsTab />
    case 'warehouses':
      return <WarehousesTab />
    case 'ledger':
      return <LedgerTab />
    case undefined:
      return <LowStock />
    default:
      return shown satisfies never
  }
}

type LowRow = LowStockListQuery['lowStock']['nodes'][number]

const lowStock = (data: LowStockListQuery) => data.lowStock
const skuOf = ({ sku }: LowRow) => sku

function LowStock(): ReactNode {
  const t = useText()
  const pages = usePages({
    subject: 'stock',
    document: LowStockListDocument,
    variables: {},
    connection: lowStock,
  })
  const mayWrite = useMay('inventory:write')
  const [changed, setChanged] = useState<LowRow | null>(null)
  const columns = useMemo(
    (): readonly Column<LowRow>[] => [
      {
        id: 'sku',
        title: t('sku'),
        width: 'minmax(10rem, 2fr)',
        phone: 'a',
        cell: ({ sku, productId }) => (
          <Link href={`/products/${productId}`} className="cover">
            {sku}
          </Link>
        ),
      },
      {
        id: 'available',
        title: t('available'),
        width: 'minmax(9rem, 1fr)',
        phone: 'b',
        cell: ({ available, lowStockThreshold }) => (
          <Badge tone={available === 0 ? 'bad' : 'wait'}>
            {t('ofThreshold', { count: available, threshold: lowStockThreshold })}
          </Badge>
        ),
      },
      {
        id: 'reserved',
        title: t('reserved'),
        width: 'minmax(5rem, 0.6fr)',
        end: true,
        cell: ({ reserved }) => String(reserved),
      },
      {
        id: 'transit',
        title: t('inTransit'),
        width: 'minmax(6rem, 0.6fr)',
        end: true,
        cell: ({ inTransit }) => String(inTransit),
      },
      ...(mayWrite
        ? [
            {
              id: 'threshold',
              title: t('threshold'),
              width: 'minmax(7rem, 0.7fr)',
              end: true,
              phone: 'd',
              cell: (row: LowRow) => (
                <span className="over">
                  <Button look="quiet" onPress={() => setChanged(row)}>
                    <span className="hidden">{t('thresholdOf', { sku: row.sku })}:</span>
                    {row.lowStockThreshold}
                  </Button>
                </span>
              ),
            } as const,
          ]
        : []),
    ],
    [t, mayWrite],
  )
  return (
    <>
      <ListCard
        label={t('stockAtRisk')}
        columns={columns}
        pages={pages}
        rowKey={skuOf}
        empty={<Empty icon="circleCheck" title={t('noRisk')} text={t('noRiskText')} />}
      />
      {changed && (
        <ThresholdDialog
          sku={changed.sku}
          threshold={changed.lowStockThreshold}
          onClose={() => setChanged(null)}
        />
      )}
    </>
  )
}
