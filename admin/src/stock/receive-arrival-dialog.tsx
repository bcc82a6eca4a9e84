import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { ReceiveIncomingStockDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Arrival } from './arrivals-tab.tsx'

interface Props {
  readonly arrival: Arrival
  readonly onClose: () => void
}

export function ReceiveArrivalDialog({ arrival, onClose }: Props): ReactNode {
  const t = useText()
  const left = arrival.quantity - arrival.receivedQuantity
  const [quantity, setQuantity] = useState(left)
  const { run, error, pending } = useChange(ReceiveIncomingStockDocument, ['stock', 'products', 'home'])
  const submit = async () => {
    if ((await run({ id: arrival.id, quantity })) === null) return
    tell(t('unitsReceived', { count: quantity }))
    onClose()
  }
  return (
    <FormDialog
      title={t('receiveSku', { sku: arrival.sku ?? '' })}
      narrow
      fields={['quantity']}
      error={error}
      submit={t('receive')}
      pending={pending}
      disabled={!(quantity > 0)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <NumberField
        name="quantity"
        label={t('quantity')}
        hint={t('unitsAwaited', { count: left })}
        minValue={1}
        value={quantity}
        onChange={setQuantity}
      />
    </FormDialog>
  )
}
