import { type ReactNode, useState } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { OrderDetailDocument, type OrderDetailQuery, ProcessOrderDocument } from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { FulfilDialog } from './fulfil-dialog.tsx'
import { CustomerCard, ReturnsCard } from './order-aside.tsx'
import { LinesCard } from './order-lines.tsx'
import { fulfillmentStatuses, orderStatuses } from './order-names.ts'
import { PaymentsCard } from './payments-card.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { ShipmentsCard } from './shipments-card.tsx'
import { TimelineCard } from './timeline-card.tsx'
import { refundable, unpacked } from './units.ts'

type AskedOrder = NonNullable<OrderDetailQuery['order']>

/** An order, as far as the person's roles may see it: without them, it has no payments, and no customer. */
export type Order = Omit<AskedOrder, 'payments' | 'customer'> & {
  readonly payments: NonNullable<AskedOrder['payments']>
  readonly customer: NonNullable<AskedOrder['customer']> | null
}

/** An order, with all that happened to it and all that can be done now. */
export default function OrderPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const payments = useMay('payments:read')
  const { data, error, refetch } = useApi('orders', OrderDetailDocument, {
    id,
    customers: useMay('customers:read'),
    payments,
  })
  const back = { href: '/orders', text: t('orders') }
  if (error)
    return (
      <Page title={t('order')} back={back}>
        <Failed error={error} retry={() => void refetch()} />
      </Page>
    )
  if (data === undefined)
    return (
      <Page title={t('order')} back={back}>
        <div className="card">
          <Loading lines={8} />
        </div>
      </Page>
    )
  if (data.order === null)
    return (
      <Page title={t('order')} back={back}>
        <Empty icon="search" title={t('noSuchOrder')} text={t('noSuchOrderText')} />
      </Page>
    )
  const order: Order = {
    ...data.order,
    payments: data.order.payments ?? [],
    customer: data.order.customer ?? null,
  }
  return (
    <Page
      title={order.orderNumber}
      back={back}
      lead={dateTime(order.createdAt)}
      badges={
        <>
          <StatusBadge status={orderStatuses[order.status]} />
          {order.fulfillment && <StatusBadge status={fulfillmentStatuses[order.fulfillment.status]} />}
        </>
      }
      actions={<OrderActions order={order} />}
    >
      {order.cancelReason !== null && (
        <div className="notice wait">
          <Icon name="info" />
          <p>{t('cancelledBecause', { reason: order.cancelReason })}</p>
        </div>
      )}
      <div className="split">
        <div className="stack">
          <LinesCard order={order} />
          <ShipmentsCard order={order} />
          {payments && <PaymentsCard order={order} />}
          <ReturnsCard order={order} />
        </div>
        <div className="stack">
          <CustomerCard order={order} />
          <TimelineCard order={order} />
        </div>
      </div>
    </Page>
  )
}

type Asking = 'fulfil' | 'refund' | 'cancel'

/** What may be packed, by the states in which the API packs. */
const packs = new Set<Order['status']>(['CONFIRMED', 'PROCESSING', 'SHIPPED'])
const cancels = new Set<Order['status']>(['PENDING', 'CONFIRMED', 'PROCESSING'])

function OrderActions({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const [asking, setAsking] = useState<Asking | null>(null)
  const process = useChange(ProcessOrderDocument, ['orders'])
  const mayWrite = useMay('orders:write')
  const mayRefund = useMay('payments:write')
  const canPack = mayWrite && packs.has(order.status) && order.items.some((line) => unpacked(line) > 0)
  const paid = order.payments.reduce((sum, each) => sum + each.capturedAmount - each.refundedAmount, 0)
  const canRefund = mayRefund && paid > 0 && order.items.some((line) => refundable(line) > 0)
  const canCancel = mayWrite && cancels.has(order.status)
  const canProcess = mayWrite && order.status === 'CONFIRMED'
  const close = () => setAsking(null)
  return (
    <>
      {process.error && <Fault text={reasonOf(process.error)} />}
      {canPack && (
        <Button look="primary" icon="truck" onPress={() => setAsking('fulfil')}>
          {t('fulfil')}
        </Button>
      )}
      {canRefund && (
        <Button icon="undo2" onPress={() => setAsking('refund')}>
          {t('refund')}
        </Button>
      )}
      {(canCancel || canProcess) && (
        <MenuTrigger>
          <AriaButton className="button icon-only" aria-label={t('more')}>
            <Icon name="ellipsis" />
          </AriaButton>
          <Popover className="popover" placement="bottom end">
            <Menu
              className="list"
              onAction={(key) =>
                key === 'cancel' ? setAsking('cancel') : void process.run({ id: order.id })
              }
            >
              {canProcess && (
                <MenuItem id="process" className="item">
                  {t('startProcessing')}
                </MenuItem>
              )}
              {canCancel && (
                <MenuItem id="cancel" className="item danger">
                  {t('cancelOrder')}
                </MenuItem>
              )}
            </Menu>
          </Popover>
        </MenuTrigger>
      )}
      {asking === 'fulfil' && <FulfilDialog order={order} onClose={close} />}
      {asking === 'refund' && <RefundDialog order={order} onClose={close} />}
      {asking === 'cancel' && <CancelDialog order={order} onClose={close} />}
    </>
  )
}
