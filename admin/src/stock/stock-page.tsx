import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import {
  LowStockListDocument,
  type LowStockListQuery,
  StockLedgerDocument,
  type StockLedgerQuery,
  type StockMovementKind,
} from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { SearchField } from '../ui/fields.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Empty } from '../ui/states.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { AdjustDialog } from './adjust-dialog.tsx'

export default function StockPage({ tab }: { readonly tab: string | undefined }): ReactNode {
  const t = useText()
  const mayWrite = useMay('inventory:write')
  const [adjusting, setAdjusting] = useState(false)
  const isLedger = tab === 'ledger'
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
        <Link href="/stock" className="tab" aria-current={isLedger ? undefined : 'page'}>
          {t('stockAtRisk')}
        </Link>
        <Link href="/stock/ledger" className="tab" aria-current={isLedger ? 'page' : undefined}>
          {t('ledger')}
        </Link>
      </nav>
      {isLedger ? <Ledger /> : <LowStock />}
      {adjusting && <AdjustDialog onClose={() => setAdjusting(false)} />}
    </Page>
  )
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
    ],
    [t],
  )
  return (
    <ListCard
      label={t('stockAtRisk')}
      columns={columns}
      pages={pages}
      rowKey={skuOf}
      empty={<Empty icon="circleCheck" title={t('noRisk')} text={t('noRiskText')} />}
    />
  )
}

const kinds = {
  ADJUSTMENT: 'kindAdjustment',
  ARRIVAL: 'kindArrival',
  OPENING: 'kindOpening',
  RELEASE: 'kindRelease',
  RESERVATION: 'kindReservation',
  RETURN: 'kindReturn',
  SALE: 'kindSale',
  STOCKTAKE: 'kindStocktake',
  TRANSFER_IN: 'kindTransferIn',
  TRANSFER_OUT: 'kindTransferOut',
} as const satisfies Record<StockMovementKind, MessageName>

type Movement = StockLedgerQuery['stockMovements']['nodes'][number]

const movements = (data: StockLedgerQuery) => data.stockMovements
const idOf = ({ id }: Movement) => id
const filterNames = ['sku'] as const
const signed = (count: number): string => (count > 0 ? `+${count}` : count === 0 ? '–' : `−${-count}`)

function Ledger(): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const [{ sku }, change] = useFilters(filterNames)
  const settle = useMemo(() => (text: string) => change({ sku: text }), [change])
  const [typed, type] = useTyped(sku, settle)
  const pages = usePages({
    subject: 'stock',
    document: StockLedgerDocument,
    variables: { filters: sku === '' ? {} : { sku } },
    connection: movements,
  })
  const columns = useMemo(
    (): readonly Column<Movement>[] => [
      {
        id: 'what',
        title: t('movement'),
        width: 'minmax(10rem, 1.4fr)',
        phone: 'a',
        cell: ({ kind, createdAt }) => (
          <span className="two">
            <span className="strong">{t(kinds[kind])}</span>
            <span className="small muted">{dateTime(createdAt)}</span>
          </span>
        ),
      },
      { id: 'sku', title: t('sku'), width: 'minmax(8rem, 1.2fr)', phone: 'c', cell: (row) => row.sku },
      {
        id: 'where',
        title: t('warehouse'),
        width: 'minmax(8rem, 1.2fr)',
        cell: ({ warehouse, reason }) => (
          <span className="two">
            <span>{warehouse.name}</span>
            <span className="small muted">{reason}</span>
          </span>
        ),
      },
      {
        id: 'onHand',
        title: t('onHand'),
        width: 'minmax(6rem, 0.7fr)',
        end: true,
        phone: 'b',
        cell: ({ onHandDelta, onHand }) => (
          <span>
            <strong>{signed(onHandDelta)}</strong> <span className="muted">= {onHand}</span>
          </span>
        ),
      },
      {
        id: 'reserved',
        title: t('reserved'),
        width: 'minmax(6rem, 0.7fr)',
        end: true,
        phone: 'd',
        cell: ({ reservedDelta, reserved }) => (
          <span>
            <strong>{signed(reservedDelta)}</strong> <span className="muted">= {reserved}</span>
          </span>
        ),
      },
    ],
    [t, dateTime],
  )
  return (
    <ListCard
      label={t('ledger')}
      columns={columns}
      pages={pages}
      rowKey={idOf}
      filters={<SearchField label={t('exactSku')} value={typed} onChange={type} />}
      empty={<Empty icon="scrollText" title={t('noMovements')} text={t('noMovementsText')} />}
    />
  )
}
