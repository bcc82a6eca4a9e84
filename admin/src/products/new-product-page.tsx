import './products.css'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import { CategoryChoice } from '../categories/category-choice.tsx'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { CreateProductDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { NumberField, TextField } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'

const fields = ['name', 'sku', 'price', 'description']

/** A product begins as a draft with the few things that it needs. Its page takes pictures, variants and the rest. */
export default function NewProductPage(): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const [sku, setSku] = useState('')
  const [price, setPrice] = useState(Number.NaN)
  const [description, setDescription] = useState('')
  const [categoryIds, setCategoryIds] = useState<readonly string[]>([])
  const { run, error, pending } = useChange(CreateProductDocument, ['products', 'categories', 'stock'])
  const faults = faultsOf(error, fields)
  const submit = async () => {
    const input = {
      name,
      sku,
      currency,
      price: Math.round(price * unitsOf(currency)),
      ...(description !== '' && { description }),
      ...(categoryIds.length > 0 && { categoryIds }),
    }
    const id = (await run({ input }))?.createProduct?.product?.id
    if (id === undefined) return
    tell(t('productCreated', { name }))
    navigate(`/products/${id}`, { replace: true })
  }
  return (
    <Page
      title={t('newProduct')}
      lead={t('newProductLead')}
      back={{ href: '/products', text: t('products') }}
      narrow
    >
      <Card>
        <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
          {faults.general !== null && <Fault text={faults.general} />}
          <TextField
            name="name"
            label={t('name')}
            value={name}
            onChange={setName}
            minLength={3}
            isRequired
            autoFocus
          />
          <div className="columns">
            <TextField
              name="sku"
              label={t('sku')}
              hint={t('skuHint')}
              value={sku}
              onChange={setSku}
              maxLength={100}
              isRequired
            />
            <NumberField
              name="price"
              label={t('price')}
              value={price}
              minValue={0}
              step={1 / unitsOf(currency)}
              formatOptions={moneyOptions(currency)}
              onChange={setPrice}
              isRequired
            />
          </div>
          <TextField
            name="description"
            label={t('description')}
            multiline
            value={description}
            onChange={setDescription}
          />
          <CategoryChoice chosen={categoryIds} onChange={setCategoryIds} isReadOnly={false} />
          <div className="chips">
            <Button type="submit" look="primary" isDisabled={pending}>
              {pending ? t('sending') : t('createDraft')}
            </Button>
            <Link href="/products" className="button">
              {t('cancel')}
            </Link>
          </div>
        </ServerForm>
      </Card>
    </Page>
  )
}
