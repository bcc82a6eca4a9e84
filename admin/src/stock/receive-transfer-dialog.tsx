import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { ReceiveTransferDocument, type TransferPartsFragment } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'

interface Props {
  readonly transfer: TransferPartsFragment
  readonly onClose: () => void
}

/** What has come of a transfer. The rest stays on its way. */
export function ReceiveTransferDialog({ transfer, onClose }: Props): ReactNode {
  const t = useText()
  const awaited = transfer.lines.flatMap(({ sku, quantity, receivedQuantity }) =>
    sku !== null && quantity > receivedQuantity ? [{ sku, left: quantity - receivedQuantity }] : [],
  )
  const [units, setUnits] = useState(() => new Map(awaited.map(({ sku, left }) => [sku, left])))
  const { run, error, pending } = useChange(ReceiveTransferDocument, ['stock', 'products', 'home'])
  const lines = [...units].flatMap(([sku, quantity]) => (quantity > 0 ? [{ sku, quantity }] : []))
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const submit = async () => {
    if ((await run({ id: transfer.id, lines })) === null) return
    tell(t('unitsReceived', { count }))
    onClose()
  }
  return (
    <FormDialog
      title={t('receive')}
      narrow
      fields={lines.map((_line, index) => `lines.${index}.quantity`)}
      error={error}
      submit={t('receiveUnits', { count })}
      pending={pending}
      disabled={count === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <div>
        {awaited.map(({ sku, left }) => (
          <div key={sku} className="pick">
            <div className="wrap">
              <span className="strong">{sku}</span>
              <div className="small muted">{t('unitsAwaited', { count: left })}</div>
            </div>
            <NumberField
              name={`lines.${lines.findIndex((line) => line.sku === sku)}.quantity`}
              label={t('unitsOf', { product: sku })}
              labelHidden
              minValue={0}
              maxValue={left}
              value={units.get(sku) ?? 0}
              onChange={(value) => setUnits(new Map(units).set(sku, Number.isNaN(value) ? 0 : value))}
            />
          </div>
        ))}
      </div>
    </FormDialog>
  )
}
