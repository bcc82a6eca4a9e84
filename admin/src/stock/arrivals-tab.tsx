import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  CancelIncomingStockDocument,
  IncomingStockListDocument,
  type IncomingStockListQuery,
  type IncomingStockStatus,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { ArrivalDialog } from './arrival-dialog.tsx'
import { ReceiveArrivalDialog } from './receive-arrival-dialog.tsx'

const statuses = {
  EXPECTED: { tone: 'info', name: 'onItsWay' },
  PARTIALLY_RECEIVED: { tone: 'wait', name: 'partlyArrived' },
  RECEIVED: { tone: 'good', name: 'arrived' },
  CANCELLED: { tone: 'calm', name: 'orderCancelled' },
} as const satisfies Record<IncomingStockStatus, StatusName>

export type Arrival = IncomingStockListQuery['incomingStocks']['nodes'][number]

const connection = ({ incomingStocks }: IncomingStockListQuery) => incomingStocks

/** What was bought and is on its way, and what has come. */
export function ArrivalsTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('inventory:write')
  const [creating, setCreating] = useState(false)
  const pages = usePages({ subject: 'stock', document: IncomingStockListDocument, variables: {}, connection })
  const create = mayWrite && (
    <Button icon="plus" onPress={() => setCreating(true)}>
      {t('newArrival')}
    </Button>
  )
  return (
    <Card title={t('arrivals')} actions={pages.rows.length > 0 && create}>
      {pages.error !== null ? (
        <Failed error={pages.error} retry={pages.retry} />
      ) : pages.pending ? (
        <Loading />
      ) : pages.rows.length === 0 ? (
        <Empty icon="package" title={t('noArrivals')} text={t('noArrivalsText')}>
          {create}
        </Empty>
      ) : (
        <ul>
          {pages.rows.map((each) => (
            <ArrivalRow key={each.id} arrival={each} />
          ))}
        </ul>
      )}
      {pages.hasMore && (
        <Button isDisabled={pages.loading} onPress={pages.loadMore}>
          {t('showMore', { count: pages.rows.length, total: pages.totalCount })}
        </Button>
      )}
      {creating && <ArrivalDialog onClose={() => setCreating(false)} />}
    </Card>
  )
}

function ArrivalRow({ arrival }: { readonly arrival: Arrival }): ReactNode {
  const t = useText()
  const { date } = useFormat()
  const mayWrite = useMay('inventory:write')
  const [receiving, setReceiving] = useState(false)
  const { run, error, pending } = useChange(CancelIncomingStockDocument, ['stock', 'products'])
  const { id, sku, status, quantity, receivedQuantity, expectedDate, reference, warehouse, transfer } =
    arrival
  const isAwaited = status === 'EXPECTED' || status === 'PARTIALLY_RECEIVED'
  return (
    <li className="parcel">
      <div className="between">
        <h3>{sku ?? '–'}</h3>
        <StatusBadge status={statuses[status]} />
      </div>
      <p className="small muted">
        {[
          warehouse.name,
          t('arrivedOf', { count: receivedQuantity, total: quantity }),
          expectedDate === null ? null : t('expectedAt', { date: date(`${expectedDate}T12:00:00Z`) }),
          reference,
          transfer === null ? null : t('ofTransfer'),
        ]
          .filter((part) => part !== null && part !== '')
          .join(' · ')}
      </p>
      {error && <Fault text={reasonOf(error)} />}
      {mayWrite && isAwaited && transfer === null && (
        <div className="chips">
          <Button onPress={() => setReceiving(true)}>{t('receive')}</Button>
          <Button look="quiet" isDisabled={pending} onPress={() => void run({ id })}>
            {t('awaitNoMore')}
          </Button>
        </div>
      )}
      {receiving && <ReceiveArrivalDialog arrival={arrival} onClose={() => setReceiving(false)} />}
    </li>
  )
}
