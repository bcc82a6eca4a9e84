import '../style/promotions.css'
import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  type CreateDraftOrderInput,
  DropPricedCartDocument,
  PriceCartDocument,
  PromotionProductsDocument,
  type PromotionProductsQuery,
  PromotionCustomersDocument,
  SimulatorShippingDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card } from '../ui/states.tsx'
import { fewestLetters, FoundList } from './found-list.tsx'
import { type Priced, PricedCart } from './priced-cart.tsx'
import { Chosen } from './promotion-scope.tsx'

type Product = PromotionProductsQuery['products']['nodes'][number]

interface Line {
  readonly product: Product
  readonly variantId: string | null
  readonly quantity: number
}

interface Cart {
  readonly lines: readonly Line[]
  readonly coupon: string
  readonly customer: { readonly id: string; readonly text: string } | null
  readonly shippingMethodId: string
}

const emptyCart: Cart = { lines: [], coupon: '', customer: null, shippingMethodId: '' }

const inputOf = ({ lines, coupon, customer, shippingMethodId }: Cart): CreateDraftOrderInput => ({
  items: lines.map(({ product, variantId, quantity }) => ({
    productId: product.id,
    ...(variantId !== null && { variantId }),
    quantity,
  })),
  ...(coupon.trim() !== '' && { couponCode: coupon.trim() }),
  ...(customer !== null && { customerId: customer.id }),
  ...(shippingMethodId !== '' && { shippingMethodId }),
})

/**
 * Prices a cart by a draft of an order, which uses the code of orders, and is deleted as soon as it has been read. It is made at a press
 * and never while one types, so there are no drafts of carts that nobody has asked about.
 */
export function CartSimulator(): ReactNode {
  const t = useText()
  const [cart, setCart] = useState(emptyCart)
  const [priced, setPriced] = useState<(Priced & { readonly cart: Cart }) | null>(null)
  const price = useChange(PriceCartDocument, [])
  const drop = useChange(DropPricedCartDocument, [])
  const faults = faultsOf(price.error, ['couponCode', 'customerId', 'shippingMethodId'])
  const set = (part: Partial<Cart>) => setCart({ ...cart, ...part })
  const calculate = async () => {
    const draft = (await price.run({ input: inputOf(cart) }))?.createDraftOrder?.draftOrder
    if (draft == null) {
      setPriced(null)
      return
    }
    setPriced({ ...draft, cart })
    await drop.run({ id: draft.id })
  }
  const failed = faults.general ?? faultsOf(drop.error, []).general
  return (
    <div className="split">
      <ServerForm className="form stack" errors={faults.fields} onSubmit={() => void calculate()}>
        <Card title={t('simulatorTitle')}>
          <p className="small muted">{t('simulatorLead')}</p>
          {failed !== null && <Fault text={failed} />}
          <Lines lines={cart.lines} onChange={(lines) => set({ lines })} />
          <TextField
            name="couponCode"
            label={t('couponCode')}
            value={cart.coupon}
            onChange={(coupon) => set({ coupon })}
          />
          <ShippingChoice
            value={cart.shippingMethodId}
            onChange={(shippingMethodId) => set({ shippingMethodId })}
          />
          <CustomerChoice customer={cart.customer} onChange={(customer) => set({ customer })} />
          <div className="chips">
            <Button
              type="submit"
              look="primary"
              isDisabled={cart.lines.length === 0 || price.pending || drop.pending}
            >
              {price.pending ? t('sending') : t('calculate')}
            </Button>
          </div>
        </Card>
      </ServerForm>
      {priced !== null && <PricedCart priced={priced} isOld={priced.cart !== cart} />}
    </div>
  )
}

function useProducts(words: string): readonly Product[] | undefined {
  const enabled = words.length >= fewestLetters
  const { data } = useApi('products', PromotionProductsDocument, { searchQuery: words }, { enabled })
  return enabled ? data?.products.nodes : undefined
}

interface LinesProps {
  readonly lines: readonly Line[]
  readonly onChange: (lines: readonly Line[]) => void
}

function Lines({ lines, onChange }: LinesProps): ReactNode {
  const t = useText()
  const put = (at: number, part: Partial<Line>) =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...part } : line)))
  return (
    <div>
      {lines.length === 0 && <p className="hint">{t('emptyCart')}</p>}
      {lines.map(({ product, variantId, quantity }, index) => (
        <div key={index} className="cart-line" role="group" aria-label={product.name}>
          <span className="strong">{product.name}</span>
          {product.variants.length > 0 ? (
            <Select
              label={t('variantOfProduct', { name: product.name })}
              labelHidden
              value={variantId ?? ''}
              onChange={(next) => put(index, { variantId: next })}
              choices={product.variants.map(({ id, sku, options }) => ({
                id,
                text: options.map(({ value }) => value).join(' / ') || sku,
              }))}
            />
          ) : (
            <span className="small muted">{product.sku}</span>
          )}
          <NumberField
            label={t('unitsOfProduct', { name: product.name })}
            labelHidden
            value={quantity}
            minValue={1}
            step={1}
            onChange={(next) => put(index, { quantity: Number.isNaN(next) ? 1 : next })}
          />
          <IconButton
            icon="x"
            label={t('removeNamed', { name: product.name })}
            onPress={() => onChange(lines.filter((_line, each) => each !== index))}
          />
        </div>
      ))}
      <ProductSearch
        onChoose={(product) =>
          onChange([...lines, { product, variantId: product.variants[0]?.id ?? null, quantity: 1 }])
        }
      />
    </div>
  )
}

function ProductSearch({ onChoose }: { readonly onChoose: (product: Product) => void }): ReactNode {
  const t = useText()
  const [words, setWords] = useState('')
  const products = useProducts(words)
  return (
    <FoundList
      label={t('addToCart')}
      words={words}
      onWords={setWords}
      found={products?.map(({ id, name, sku }) => ({ id, text: `${name} · ${sku}` }))}
      onChoose={(id) => {
        const product = products?.find((each) => each.id === id)
        if (product !== undefined) onChoose(product)
      }}
    />
  )
}

interface ShippingProps {
  readonly value: string
  readonly onChange: (id: string) => void
}

function ShippingChoice({ value, onChange }: ShippingProps): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const { currency } = useShop()
  const may = useMay('merchant:read')
  const { data } = useApi('settings', SimulatorShippingDocument, {}, { enabled: may })
  const choices = (data?.merchantAccount?.settings.shippingZones ?? []).flatMap(({ name: zone, methods }) =>
    methods
      .filter(({ active }) => active)
      .map(({ id, name, price }) => ({ id, text: `${zone}: ${name}, ${money(price, currency)}` })),
  )
  return (
    choices.length > 0 && (
      <Select
        name="shippingMethodId"
        label={t('shipping')}
        value={value}
        onChange={onChange}
        choices={[{ id: '', text: t('withoutShipping') }, ...choices]}
      />
    )
  )
}

interface CustomerProps {
  readonly customer: Cart['customer']
  readonly onChange: (customer: Cart['customer']) => void
}

function CustomerChoice({ customer, onChange }: CustomerProps): ReactNode {
  const t = useText()
  const [words, setWords] = useState('')
  const enabled = useMay('customers:read') && words.length >= fewestLetters
  const { data } = useApi('customers', PromotionCustomersDocument, { searchQuery: words }, { enabled })
  const found = enabled
    ? data?.customers.nodes.map(({ id, name, email }) => ({ id, text: `${name} · ${email}` }))
    : undefined
  if (customer !== null)
    return (
      <div className="chips">
        <Chosen name={customer.text} readOnly={false} onRemove={() => onChange(null)} />
      </div>
    )
  return (
    <FoundList
      label={t('anyCustomer')}
      words={words}
      onWords={setWords}
      found={found}
      onChoose={(id) => onChange(found?.find((each) => each.id === id) ?? null)}
    />
  )
}
