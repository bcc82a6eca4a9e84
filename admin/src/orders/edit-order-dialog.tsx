import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { ModifyOrderDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { addressDraftOf, AddressFields, addressParts } from '../ui/address-fields.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { detailsOf } from './order-lines.tsx'
import { modificationsOf } from './order-modifications.ts'
import type { Order } from './order-page.tsx'
import { type ChosenProduct, ProductSearch } from './product-search.tsx'

interface Props {
  readonly order: Order
  readonly onClose: () => void
}

/** Changes what an unpaid order holds, and where it goes. */
export function EditOrderDialog({ order, onClose }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const before = addressDraftOf(order.shippingAddress)
  const [quantities, setQuantities] = useState(
    () => new Map(order.items.map(({ id, quantity }) => [id, quantity])),
  )
  const [added, setAdded] = useState<readonly ChosenProduct[]>([])
  const [address, setAddress] = useState(before)
  const { run, error, pending } = useChange(ModifyOrderDocument, ['orders', 'home', 'stock'])
  const modifications = modificationsOf(order.items, before, { quantities, added, address })
  const setAdditional = (index: number, quantity: number) =>
    setAdded(added.map((each, at) => (at === index ? { ...each, quantity } : each)))
  const submit = async () => {
    if ((await run({ id: order.id, modifications })) === null) return
    tell(t('orderIsChanged', { order: order.orderNumber }))
    onClose()
  }
  const fields = [
    ...addressParts('shippingAddress'),
    ...added.map((_line, index) => `addItems.${index}.quantity`),
    ...(modifications.updateItems ?? []).map((_line, index) => `updateItems.${index}.quantity`),
  ]
  return (
    <FormDialog
      title={t('editOrderTitle', { order: order.orderNumber })}
      fields={fields}
      error={error}
      submit={t('save')}
      pending={pending}
      disabled={Object.keys(modifications).length === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p className="muted">{t('editOrderLead')}</p>
      <div>
        {order.items.map((line) => (
          <div key={line.id} className="pick">
            <div className="wrap">
              <span className="strong">{line.productName}</span>
              <div className="small muted">
                {[line.sku, detailsOf(line), money(line.price, order.currency)].filter(Boolean).join(' · ')}
              </div>
            </div>
            <NumberField
              name={`updateItems.${(modifications.updateItems ?? []).findIndex(({ id }) => id === line.id)}.quantity`}
              label={t('unitsOf', { product: line.productName })}
              labelHidden
              minValue={0}
              value={quantities.get(line.id) ?? 0}
              onChange={(value) =>
                setQuantities(new Map(quantities).set(line.id, Number.isNaN(value) ? 0 : value))
              }
            />
          </div>
        ))}
        {added.map((each, index) => (
          <div key={`${each.productId} ${each.variantId ?? ''}`} className="pick">
            <div className="wrap">
              <span className="strong">{each.name}</span>
              <div className="small muted">
                {each.sku} · {money(each.price, each.currency)}
              </div>
            </div>
            <NumberField
              name={`addItems.${index}.quantity`}
              label={t('unitsOf', { product: each.name })}
              labelHidden
              minValue={0}
              value={each.quantity}
              onChange={(value) => setAdditional(index, Number.isNaN(value) ? 0 : value)}
            />
          </div>
        ))}
      </div>
      <ProductSearch onChosen={(product) => setAdded([...added, product])} />
      <h3>{t('shippingAddress')}</h3>
      <AddressFields name="shippingAddress" value={address} onChange={setAddress} />
    </FormDialog>
  )
}
