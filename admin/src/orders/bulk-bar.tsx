import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { askAgain, changeOrRefusal } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { FulfillOrderDocument, ProcessOrderDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Progress } from '../ui/progress.tsx'
import { tell } from '../ui/toasts.tsx'

interface SelectedOrder {
  readonly id: string
  readonly orderNumber: string
}

interface Props {
  readonly selected: readonly SelectedOrder[]
  readonly onClear: () => void
}

interface Running {
  readonly done: number
  readonly total: number
}

interface Refused {
  readonly order: SelectedOrder
  readonly reason: string
}

type Action = 'process' | 'send'

const send = ({ id }: SelectedOrder, action: Action) =>
  action === 'process'
    ? changeOrRefusal(ProcessOrderDocument, { id })
    : changeOrRefusal(FulfillOrderDocument, { id, input: { shipped: true } })

/** What is done with all chosen orders: each for itself, so that one that can't holds up no other. */
export function BulkBar({ selected, onClear }: Props): ReactNode {
  const t = useText()
  const mayWrite = useMay('orders:write')
  const [running, setRunning] = useState<Running | null>(null)
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const run = async (action: Action) => {
    const found: Refused[] = []
    setRunning({ done: 0, total: selected.length })
    for (const [index, order] of selected.entries()) {
      const error = await send(order, action)
      if (error !== null) found.push({ order, reason: reasonOf(error) })
      setRunning({ done: index + 1, total: selected.length })
    }
    await askAgain(['orders', 'home', 'stock'])
    setRunning(null)
    setRefused(found)
    const count = selected.length - found.length
    if (count > 0) tell(t(action === 'process' ? 'ordersProcessed' : 'ordersSent', { count }))
    if (found.length === 0) onClear()
  }
  const ids = selected.map(({ id }) => id).join(',')
  return (
    <div className="bulk-bar" role="region" aria-label={t('chosenOrders')}>
      <strong role="status">{t('chosenCount', { count: selected.length })}</strong>
      {mayWrite && (
        <>
          <Button isDisabled={running !== null} onPress={() => void run('process')}>
            {t('startProcessing')}
          </Button>
          <Button icon="truck" isDisabled={running !== null} onPress={() => void run('send')}>
            {t('sendWhole')}
          </Button>
        </>
      )}
      <Link href={`/orders/print/slip?ids=${ids}`} className="button">
        <Icon name="printer" size={16} /> {t('packingSlips')}
      </Link>
      <Link href={`/orders/print/invoice?ids=${ids}`} className="button">
        <Icon name="printer" size={16} /> {t('invoices')}
      </Link>
      <Button look="quiet" icon="x" onPress={onClear}>
        {t('chooseNone')}
      </Button>
      {running && (
        <Progress
          label={t('ordersDone', { count: running.done, total: running.total })}
          share={running.done / running.total}
        />
      )}
      {refused.length > 0 && (
        <Dialog title={t('ordersRefused', { count: refused.length })} onClose={() => setRefused([])}>
          <ul className="body">
            {refused.map(({ order, reason }) => (
              <li key={order.id}>
                <Link href={`/orders/${order.id}`} className="strong">
                  {order.orderNumber}
                </Link>
                <p>{reason}</p>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </div>
  )
}
