import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  CancelTransferDocument,
  ShipTransferDocument,
  TransferListDocument,
  type TransferListQuery,
  type TransferPartsFragment,
  type TransferStatus,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { ReceiveTransferDialog } from './receive-transfer-dialog.tsx'
import { TransferDialog } from './transfer-dialog.tsx'

const statuses = {
  DRAFT: { tone: 'calm', name: 'transferDraft' },
  IN_TRANSIT: { tone: 'info', name: 'onItsWay' },
  PARTIALLY_RECEIVED: { tone: 'wait', name: 'partlyArrived' },
  RECEIVED: { tone: 'good', name: 'arrived' },
  CANCELLED: { tone: 'calm', name: 'orderCancelled' },
} as const satisfies Record<TransferStatus, StatusName>

const connection = ({ transfers }: TransferListQuery) => transfers

/** Goods on their way from one warehouse to another. */
export function TransfersTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('inventory:write')
  const [creating, setCreating] = useState(false)
  const pages = usePages({ subject: 'stock', document: TransferListDocument, variables: {}, connection })
  const create = mayWrite && (
    <Button icon="plus" onPress={() => setCreating(true)}>
      {t('newTransfer')}
    </Button>
  )
  return (
    <Card title={t('transfers')} actions={pages.rows.length > 0 && create}>
      {pages.error !== null ? (
        <Failed error={pages.error} retry={pages.retry} />
      ) : pages.pending ? (
        <Loading />
      ) : pages.rows.length === 0 ? (
        <Empty icon="truck" title={t('noTransfers')} text={t('noTransfersText')}>
          {create}
        </Empty>
      ) : (
        <ul>
          {pages.rows.map((each) => (
            <TransferRow key={each.id} transfer={each} />
          ))}
        </ul>
      )}
      {pages.hasMore && (
        <Button isDisabled={pages.loading} onPress={pages.loadMore}>
          {t('showMore', { count: pages.rows.length, total: pages.totalCount })}
        </Button>
      )}
      {creating && <TransferDialog onClose={() => setCreating(false)} />}
    </Card>
  )
}

function TransferRow({ transfer }: { readonly transfer: TransferPartsFragment }): ReactNode {
  const t = useText()
  const { dateTime, date } = useFormat()
  const { id, status, fromWarehouse, toWarehouse, lines, notes, expectedDate, createdAt } = transfer
  return (
    <li className="parcel">
      <div className="between">
        <h3>{t('fromTo', { from: fromWarehouse.name, to: toWarehouse.name })}</h3>
        <StatusBadge status={statuses[status]} />
      </div>
      <p className="small muted">
        {dateTime(createdAt)}
        {expectedDate !== null && ` · ${t('expectedAt', { date: date(`${expectedDate}T12:00:00Z`) })}`}
      </p>
      <ul className="small">
        {lines.map((line, index) => (
          <li key={line.sku ?? index}>
            {line.sku ?? '–'}: {t('arrivedOf', { count: line.receivedQuantity, total: line.quantity })}
          </li>
        ))}
      </ul>
      {notes !== null && <p className="note">{notes}</p>}
      <TransferActions id={id} transfer={transfer} />
    </li>
  )
}

interface ActionsProps {
  readonly id: string
  readonly transfer: TransferPartsFragment
}

function TransferActions({ id, transfer }: ActionsProps): ReactNode {
  const t = useText()
  const mayWrite = useMay('inventory:write')
  const [receiving, setReceiving] = useState(false)
  const ship = useChange(ShipTransferDocument, ['stock', 'products', 'home'])
  const cancel = useChange(CancelTransferDocument, ['stock', 'products', 'home'])
  const error = ship.error ?? cancel.error
  const { status } = transfer
  const isUnderWay = status === 'IN_TRANSIT' || status === 'PARTIALLY_RECEIVED'
  if (!mayWrite || (status !== 'DRAFT' && !isUnderWay)) return null
  return (
    <>
      {error && <Fault text={reasonOf(error)} />}
      <div className="chips">
        {status === 'DRAFT' && (
          <Button icon="truck" isDisabled={ship.pending} onPress={() => void ship.run({ id })}>
            {t('sendOff')}
          </Button>
        )}
        {isUnderWay && <Button onPress={() => setReceiving(true)}>{t('receive')}</Button>}
        <Button look="quiet" isDisabled={cancel.pending} onPress={() => void cancel.run({ id })}>
          {t('cancelTransfer')}
        </Button>
      </div>
      {receiving && <ReceiveTransferDialog transfer={transfer} onClose={() => setReceiving(false)} />}
    </>
  )
}
