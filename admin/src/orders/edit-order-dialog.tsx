import type { ReactNode } from 'react'
import { useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { ModifyOrderDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { addressDraftOf, AddressFields, addressInputOf, addressParts } from '../ui/address-fields.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { OldNotice } from '../ui/draft-form.tsx'
import { NumberField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { detailsOf } from './order-lines.tsx'
import { type EditedOrder, modificationsOf } from './order-modifications.ts'
import type { Order } from './order-page.tsx'
import { type ChosenProduct, ProductSearch } from './product-search.tsx'

interface Props {
  readonly order: Order
  readonly onClose: () => void
}

const draftOf = (order: Order) => ({
  lines: order.items.map((line) => ({
    id: line.id,
    quantity: line.quantity,
    name: line.productName,
    sku: line.sku,
    details: detailsOf(line),
    price: line.price,
  })),
  added: [] as readonly ChosenProduct[],
  address: addressDraftOf(order.shippingAddress),
})

const editedOf = (draft: ReturnType<typeof draftOf>): EditedOrder => ({
  ...draft,
  address: addressInputOf(draft.address),
})

/** An empty field is 0 units. */
const withQuantity = <Line extends { readonly quantity: number }>(
  lines: readonly Line[],
  line: Line,
  quantity: number,
): Line[] =>
  lines.map((each) => (each === line ? { ...each, quantity: Number.isNaN(quantity) ? 0 : quantity } : each))

/** Changes what an unpaid order holds, and where it goes. If somebody else has changed it meanwhile, it says so, and keeps what is typed. */
export function EditOrderDialog({ order, onClose }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const { draft, stored, set, isChanged, isOld, reload } = useDraft(draftOf(order))
  const { lines, added, address } = draft
  const { run, error, pending } = useChange(ModifyOrderDocument, ['orders', 'home', 'stock'])
  const modifications = modificationsOf(editedOf(stored), editedOf(draft))
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
      {isOld && isChanged && !pending && <OldNotice reload={reload} />}
      <p className="muted">{t('editOrderLead')}</p>
      <div>
        {lines.map((line) => (
          <div key={line.id} className="pick">
            <div className="wrap">
              <span className="strong">{line.name}</span>
              <div className="small muted">
                {[line.sku, line.details, money(line.price, order.currency)].filter(Boolean).join(' · ')}
              </div>
            </div>
            <NumberField
              name={`updateItems.${(modifications.updateItems ?? []).findIndex(({ id }) => id === line.id)}.quantity`}
              label={t('unitsOf', { product: line.name })}
              labelHidden
              minValue={0}
              value={line.quantity}
              onChange={(quantity) => set({ lines: withQuantity(lines, line, quantity) })}
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
              onChange={(quantity) => set({ added: withQuantity(added, each, quantity) })}
            />
          </div>
        ))}
      </div>
      <ProductSearch onChosen={(product) => set({ added: [...added, product] })} />
      <h3>{t('shippingAddress')}</h3>
      <AddressFields name="shippingAddress" value={address} onChange={(next) => set({ address: next })} />
    </FormDialog>
  )
}
