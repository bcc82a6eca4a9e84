import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  CancelShipmentDocument,
  MarkShipmentDeliveredDocument,
  MarkShipmentShippedDocument,
} from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { Card } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { shipmentStatuses } from './order-names.ts'
import type { Order } from './order-page.tsx'

type Shipment = Order['shipments'][number]

export function ShipmentsCard({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  return (
    <Card title={t('shipments')}>
      {order.shipments.length === 0 ? (
        <p className="muted">{t('noShipments')}</p>
      ) : (
        <ul>
          {order.shipments.map((shipment, index) => (
            <li key={shipment.id} className="parcel">
              <ShipmentParts order={order} shipment={shipment} number={index + 1} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

interface Props {
  readonly order: Order
  readonly shipment: Shipment
  readonly number: number
}

function ShipmentParts({ order, shipment, number }: Props): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const names = new Map(order.items.map(({ id, productName }) => [id, productName]))
  const { carrier, trackingNumber, shippedAt, deliveredAt, createdAt } = shipment
  const when = deliveredAt ?? shippedAt ?? createdAt
  return (
    <>
      <div className="between">
        <h3>{t('shipmentNumber', { number })}</h3>
        <StatusBadge status={shipmentStatuses[shipment.status]} />
      </div>
      <p className="small muted">
        {[dateTime(when), carrier, trackingNumber].filter((part) => part !== null).join(' · ')}
      </p>
      <ul className="small">
        {shipment.items.map(({ orderItemId, quantity }) => (
          <li key={orderItemId}>
            {quantity} × {names.get(orderItemId)}
          </li>
        ))}
      </ul>
      <ShipmentActions shipment={shipment} />
    </>
  )
}

function ShipmentActions({ shipment: { id, status } }: { readonly shipment: Shipment }): ReactNode {
  const t = useText()
  const mayWrite = useMay('orders:write')
  const [shipping, setShipping] = useState(false)
  const deliver = useChange(MarkShipmentDeliveredDocument, ['orders'])
  const cancel = useChange(CancelShipmentDocument, ['orders', 'stock'])
  const error = deliver.error ?? cancel.error
  if (!mayWrite || (status !== 'PACKED' && status !== 'SHIPPED')) return null
  return (
    <>
      {error && <Fault text={reasonOf(error)} />}
      <div className="chips">
        {status === 'PACKED' && (
          <>
            <Button onPress={() => setShipping(true)}>{t('markShipped')}</Button>
            <Button look="quiet" isDisabled={cancel.pending} onPress={() => void cancel.run({ id })}>
              {t('unpack')}
            </Button>
          </>
        )}
        {status === 'SHIPPED' && (
          <Button isDisabled={deliver.pending} onPress={() => void deliver.run({ id })}>
            {t('markDelivered')}
          </Button>
        )}
      </div>
      {shipping && <ShippedDialog id={id} onClose={() => setShipping(false)} />}
    </>
  )
}

function ShippedDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const t = useText()
  const [carrier, setCarrier] = useState('')
  const [trackingNumber, setTrackingNumber] = useState('')
  const { run, error, pending } = useChange(MarkShipmentShippedDocument, ['orders'])
  const submit = async () => {
    const input = { ...(carrier !== '' && { carrier }), ...(trackingNumber !== '' && { trackingNumber }) }
    if ((await run({ id, input })) !== null) onClose()
  }
  return (
    <FormDialog
      title={t('markShipped')}
      narrow
      fields={['carrier', 'trackingNumber']}
      error={error}
      submit={t('markShipped')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="carrier" label={t('carrier')} value={carrier} onChange={setCarrier} autoFocus />
      <TextField
        name="trackingNumber"
        label={t('trackingNumber')}
        value={trackingNumber}
        onChange={setTrackingNumber}
      />
    </FormDialog>
  )
}
