import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { CreateMethodDocument, UpdateMethodDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, NumberField, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useSendChanged } from '../ui/use-send-changed.ts'
import type { ShippingMethod } from './shipping-tab.tsx'

interface Props {
  readonly zoneId: string
  /** Null: a new one. */
  readonly method: ShippingMethod | null
  readonly onClose: () => void
}

/** A way to ship to a zone, and what it costs. */
export function ShippingMethodDialog({ zoneId, method, onClose }: Props): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const unit = unitsOf(currency)
  const [name, setName] = useState(method?.name ?? '')
  const [price, setPrice] = useState((method?.price ?? 0) / unit)
  const [active, setActive] = useState(method?.active ?? true)
  const creation = useChange(CreateMethodDocument, ['settings'])
  const change = useChange(UpdateMethodDocument, ['settings'])
  const { error, pending } = method === null ? creation : change
  const input = { name, price: Math.round(price * unit), active }
  const sendChanged = useSendChanged(input)
  const submit = async () => {
    const done =
      method === null
        ? await creation.run({ shippingZoneId: zoneId, input })
        : await sendChanged((changed) => change.run({ id: method.id, input: changed }))
    if (done === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={method === null ? t('newMethod') : method.name}
      narrow
      fields={['name', 'price']}
      error={error}
      submit={t('save')}
      pending={pending}
      disabled={Number.isNaN(price)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <NumberField
        name="price"
        label={t('price')}
        value={price}
        onChange={setPrice}
        minValue={0}
        formatOptions={moneyOptions(currency)}
      />
      <Checkbox isSelected={active} onChange={setActive}>
        {t('methodOffered')}
      </Checkbox>
    </FormDialog>
  )
}
