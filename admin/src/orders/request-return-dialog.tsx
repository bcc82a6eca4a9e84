import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { RequestReturnDocument, type ReturnReason } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { detailsOf } from './order-lines.tsx'
import { returnReasons } from './order-names.ts'
import type { Order } from './order-page.tsx'
import { returnable } from './units.ts'

interface Props {
  readonly order: Order
  readonly onClose: () => void
}

const isReason = (text: string): text is ReturnReason => Object.hasOwn(returnReasons, text)

/** Writes down what a customer wants to send back, as the customer could by itself. */
export function RequestReturnDialog({ order, onClose }: Props): ReactNode {
  const t = useText()
  const lines = order.items.filter((line) => returnable(order, line) > 0)
  const [units, setUnits] = useState(new Map<string, number>())
  const [reason, setReason] = useState<ReturnReason>('CHANGED_MIND')
  const [note, setNote] = useState('')
  const { run, error, pending } = useChange(RequestReturnDocument, ['orders'])
  const chosen = lines.filter(({ id }) => (units.get(id) ?? 0) > 0)
  const submit = async () => {
    const items = chosen.map(({ id }) => ({ orderItemId: id, quantity: units.get(id) ?? 0, reason }))
    const done = await run({ input: { orderId: order.id, items, ...(note !== '' && { note }) } })
    if (done === null) return
    tell(t('returnIsRequested'))
    onClose()
  }
  return (
    <FormDialog
      title={t('requestReturn')}
      fields={[...chosen.map((_line, index) => `items.${index}.quantity`), 'note']}
      error={error}
      submit={t('requestReturn')}
      pending={pending}
      disabled={chosen.length === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <div>
        {lines.map((line) => (
          <div key={line.id} className="pick">
            <div className="wrap">
              <span className="strong">{line.productName}</span>
              <div className="small muted">
                {[line.sku, detailsOf(line), t('unitsSent', { count: returnable(order, line) })]
                  .filter(Boolean)
                  .join(' · ')}
              </div>
            </div>
            <NumberField
              name={`items.${chosen.indexOf(line)}.quantity`}
              label={t('unitsOf', { product: line.productName })}
              labelHidden
              minValue={0}
              maxValue={returnable(order, line)}
              value={units.get(line.id) ?? 0}
              onChange={(value) => setUnits(new Map(units).set(line.id, Number.isNaN(value) ? 0 : value))}
            />
          </div>
        ))}
      </div>
      <Select
        label={t('reason')}
        value={reason}
        onChange={(next) => isReason(next) && setReason(next)}
        choices={Object.entries(returnReasons).map(([id, name]) => ({ id, text: t(name) }))}
      />
      <TextField name="note" label={t('notes')} multiline value={note} onChange={setNote} />
    </FormDialog>
  )
}
