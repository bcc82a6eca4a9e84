import { type ReactNode, useMemo } from 'react'
import { useFormat } from '../format/format.ts'
import {
  StockLedgerDocument,
  type StockLedgerQuery,
  type StockMovementKind,
} from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import type { Column } from '../ui/data-table.tsx'
import { SearchField } from '../ui/fields.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Empty } from '../ui/states.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'

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

/** All movements of stock, latest first. */
export function LedgerTab(): ReactNode {
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
