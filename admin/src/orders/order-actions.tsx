import { type ReactNode, useState } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useLocation } from 'wouter'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { ProcessOrderDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { EditOrderDialog } from './edit-order-dialog.tsx'
import { FulfilDialog } from './fulfil-dialog.tsx'
import { NotesDialog } from './notes-dialog.tsx'
import type { Order } from './order-page.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { refundable, unpacked } from './units.ts'

type Asking = 'fulfil' | 'refund' | 'cancel' | 'edit' | 'notes'

/** What may be packed, by the states in which the API packs. */
const packs = new Set<Order['status']>(['CONFIRMED', 'PROCESSING', 'SHIPPED'])
const cancels = new Set<Order['status']>(['PENDING', 'CONFIRMED', 'PROCESSING'])

/** What can be done with an order as it is now. */
export function OrderActions({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const [asking, setAsking] = useState<Asking | null>(null)
  const process = useChange(ProcessOrderDocument, ['orders'])
  const mayWrite = useMay('orders:write')
  const mayRefund = useMay('payments:write')
  const canPack = mayWrite && packs.has(order.status) && order.items.some((line) => unpacked(line) > 0)
  const paid = order.payments.reduce((sum, each) => sum + each.capturedAmount - each.refundedAmount, 0)
  const canRefund = mayRefund && paid > 0 && order.items.some((line) => refundable(order, line) > 0)
  const canCancel = mayWrite && cancels.has(order.status)
  const canEdit = mayWrite && order.status === 'PENDING'
  const canProcess = mayWrite && order.status === 'CONFIRMED'
  const [, navigate] = useLocation()
  const close = () => setAsking(null)
  const act = (key: string) => {
    if (key === 'process') void process.run({ id: order.id })
    else if (key === 'slip' || key === 'invoice') navigate(`/orders/print/${key}?ids=${order.id}`)
    else if (key === 'cancel' || key === 'edit' || key === 'notes') setAsking(key)
  }
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
      <MenuTrigger>
        <AriaButton className="button icon-only" aria-label={t('more')}>
          <Icon name="ellipsis" />
        </AriaButton>
        <Popover className="popover" placement="bottom end">
          <Menu className="list" onAction={(key) => act(String(key))}>
            {canProcess && (
              <MenuItem id="process" className="item">
                {t('startProcessing')}
              </MenuItem>
            )}
            {canEdit && (
              <MenuItem id="edit" className="item">
                {t('editOrder')}
              </MenuItem>
            )}
            {mayWrite && (
              <MenuItem id="notes" className="item">
                {t('notesAndTags')}
              </MenuItem>
            )}
            <MenuItem id="slip" className="item">
              {t('packingSlip')}
            </MenuItem>
            <MenuItem id="invoice" className="item">
              {t('invoice')}
            </MenuItem>
            {canCancel && (
              <MenuItem id="cancel" className="item danger">
                {t('cancelOrder')}
              </MenuItem>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      {asking === 'fulfil' && <FulfilDialog order={order} onClose={close} />}
      {asking === 'refund' && <RefundDialog order={order} onClose={close} />}
      {asking === 'edit' && <EditOrderDialog order={order} onClose={close} />}
      {asking === 'notes' && <NotesDialog order={order} onClose={close} />}
      {asking === 'cancel' && <CancelDialog order={order} onClose={close} />}
    </>
  )
}
