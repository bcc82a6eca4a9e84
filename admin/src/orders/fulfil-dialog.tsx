import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { FulfillOrderDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, NumberField, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { detailsOf } from './order-lines.tsx'
import type { Order } from './order-page.tsx'
import { unpacked } from './units.ts'

interface Props {
  readonly order: Order
  readonly onClose: () => void
}

/** A shipment of all that is open, or of a part of it. */
export function FulfilDialog({ order, onClose }: Props): ReactNode {
  const t = useText()
  const open = order.items.filter((line) => unpacked(line) > 0)
  const [units, setUnits] = useState(() => new Map(open.map((line) => [line.id, unpacked(line)])))
  const [carrier, setCarrier] = useState('')
  const [trackingNumber, setTrackingNumber] = useState('')
  const [shipped, setShipped] = useState(true)
  const { run, error, pending } = useChange(FulfillOrderDocument, ['orders', 'home', 'stock'])
  const chosen = open.filter(({ id }) => (units.get(id) ?? 0) > 0)
  const count = [...units.values()].reduce((sum, each) => sum + each, 0)
  const submit = async () => {
    const input = {
      items: chosen.map(({ id }) => ({ orderItemId: id, quantity: units.get(id) ?? 0 })),
      shipped,
      ...(carrier !== '' && { carrier }),
      ...(trackingNumber !== '' && { trackingNumber }),
    }
    if ((await run({ id: order.id, input })) === null) return
    tell(shipped ? t('sentUnits', { count }) : t('packedUnits', { count }))
    onClose()
  }
  return (
    <FormDialog
      title={t('fulfilTitle', { order: order.orderNumber })}
      fields={[...chosen.map((_line, index) => `items.${index}.quantity`), 'carrier', 'trackingNumber']}
      error={error}
      submit={shipped ? t('sendUnits', { count }) : t('packUnits', { count })}
      pending={pending}
      disabled={count === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p className="muted">{t('fulfilLead')}</p>
      <div>
        {open.map((line) => (
          <div key={line.id} className="pick">
            <div className="wrap">
              <span className="strong">{line.productName}</span>
              <div className="small muted">
                {[line.sku, detailsOf(line), t('unitsOpen', { count: unpacked(line) })]
                  .filter(Boolean)
                  .join(' · ')}
              </div>
            </div>
            <NumberField
              name={`items.${chosen.indexOf(line)}.quantity`}
              label={t('unitsOf', { product: line.productName })}
              labelHidden
              minValue={0}
              maxValue={unpacked(line)}
              value={units.get(line.id) ?? 0}
              onChange={(value) => setUnits(new Map(units).set(line.id, Number.isNaN(value) ? 0 : value))}
            />
          </div>
        ))}
      </div>
      <div className="columns">
        <TextField name="carrier" label={t('carrier')} value={carrier} onChange={setCarrier} />
        <TextField
          name="trackingNumber"
          label={t('trackingNumber')}
          value={trackingNumber}
          onChange={setTrackingNumber}
        />
      </div>
      <Checkbox isSelected={shipped} onChange={setShipped}>
        {t('leavesNow')}
      </Checkbox>
    </FormDialog>
  )
}
