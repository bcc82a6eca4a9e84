import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import { ApproveReturnDocument, CancelReturnDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Card } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { returnReasons, returnStatuses } from './order-names.ts'
import type { Order } from './order-page.tsx'
import { ReceiveReturnDialog } from './receive-return-dialog.tsx'
import { RefundReturnDialog } from './refund-return-dialog.tsx'
import { RejectReturnDialog } from './reject-return-dialog.tsx'
import { RequestReturnDialog } from './request-return-dialog.tsx'
import { returnable } from './units.ts'

export type Return = Order['returns'][number]

/** What comes back, and what is to be done about it next. */
export function ReturnsCard({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const mayWrite = useMay('orders:write')
  const [requesting, setRequesting] = useState(false)
  const canRequest = mayWrite && order.items.some((line) => returnable(order, line) > 0)
  if (order.returns.length === 0 && !canRequest) return null
  return (
    <Card
      title={t('returns')}
      actions={
        canRequest && (
          <Button icon="undo2" onPress={() => setRequesting(true)}>
            {t('requestReturn')}
          </Button>
        )
      }
    >
      {order.returns.length === 0 ? (
        <p className="muted">{t('noReturns')}</p>
      ) : (
        <ul>
          {order.returns.map((each) => (
            <ReturnItem key={each.id} order={order} item={each} />
          ))}
        </ul>
      )}
      {requesting && <RequestReturnDialog order={order} onClose={() => setRequesting(false)} />}
    </Card>
  )
}

interface ItemProps {
  readonly order: Order
  readonly item: Return
}

function ReturnItem({ order, item }: ItemProps): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const names = new Map(order.items.map(({ id, productName }) => [id, productName]))
  return (
    <li className="parcel">
      <div className="between">
        <h3>{item.returnNumber}</h3>
        <StatusBadge status={returnStatuses[item.status]} />
      </div>
      <p className="small muted">{dateTime(item.createdAt)}</p>
      <ul className="small">
        {item.items.map(({ orderItemId, quantity, reason }) => (
          <li key={orderItemId}>
            {quantity} × {names.get(orderItemId)} · {t(returnReasons[reason])}
          </li>
        ))}
      </ul>
      {item.note !== null && <p className="note">{item.note}</p>}
      {item.rejectionReason !== null && <p className="note">{item.rejectionReason}</p>}
      <ReturnActions order={order} item={item} />
    </li>
  )
}

type Asking = 'reject' | 'receive' | 'refund'

function ReturnActions({ order, item }: ItemProps): ReactNode {
  const t = useText()
  const mayWrite = useMay('orders:write')
  const mayRefund = useMay('payments:write')
  const [asking, setAsking] = useState<Asking | null>(null)
  const approve = useChange(ApproveReturnDocument, ['orders'])
  const cancel = useChange(CancelReturnDocument, ['orders'])
  const error = approve.error ?? cancel.error
  const { id, status, returnNumber } = item
  const close = () => setAsking(null)
  const agree = async () => {
    if ((await approve.run({ id })) !== null) tell(t('returnIsApproved', { number: returnNumber }))
  }
  return (
    <>
      {error && <Fault text={reasonOf(error)} />}
      <div className="chips">
        {mayWrite && status === 'REQUESTED' && (
          <>
            <Button isDisabled={approve.pending} onPress={() => void agree()}>
              {t('approveReturn')}
            </Button>
            <Button onPress={() => setAsking('reject')}>{t('rejectReturn')}</Button>
          </>
        )}
        {mayWrite && status === 'APPROVED' && (
          <>
            <Button onPress={() => setAsking('receive')}>{t('receiveReturn')}</Button>
            <Button look="quiet" isDisabled={cancel.pending} onPress={() => void cancel.run({ id })}>
              {t('cancelReturn')}
            </Button>
          </>
        )}
        {mayRefund && status === 'RECEIVED' && (
          <Button onPress={() => setAsking('refund')}>{t('refundReturn')}</Button>
        )}
      </div>
      {asking === 'reject' && <RejectReturnDialog item={item} onClose={close} />}
      {asking === 'receive' && <ReceiveReturnDialog order={order} item={item} onClose={close} />}
      {asking === 'refund' && <RefundReturnDialog order={order} item={item} onClose={close} />}
    </>
  )
}
