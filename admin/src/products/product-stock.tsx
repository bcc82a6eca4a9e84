import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { unitsOf, useFormat } from '../format/format.ts'
import { UpdateVariantDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { NumberField } from '../ui/fields.tsx'
import { Badge, Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { AdjustDialog } from '../stock/adjust-dialog.tsx'
import type { Product } from './product-page.tsx'

type Variant = Product['variants'][number]

/** The variants in a grid, whose prices are changed in their place. */
export function VariantsCard({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  if (product.variants.length === 0) return null
  return (
    <Card title={t('variants')}>
      <div className="scroll" tabIndex={0} role="group" aria-label={t('variants')}>
        <table className="grid-table">
          <thead>
            <tr>
              <th scope="col">{t('variant')}</th>
              <th scope="col">{t('sku')}</th>
              <th scope="col" className="end">
                {t('available')}
              </th>
              <th scope="col">{t('price')}</th>
            </tr>
          </thead>
          <tbody>
            {product.variants.map((variant) => (
              <VariantRow key={variant.id} product={product} variant={variant} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

interface VariantProps {
  readonly product: Product
  readonly variant: Variant
}

function VariantRow({ product, variant }: VariantProps): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const mayWrite = useMay('products:write')
  const { run, error, pending } = useChange(UpdateVariantDocument, ['products'])
  const units = unitsOf(product.currency)
  const stored = (variant.price ?? product.price) / units
  const [price, setPrice] = useState(stored)
  const name = variant.options.map(({ value }) => value).join(' / ')
  const save = async () => {
    const input = { price: Math.round(price * units) }
    if ((await run({ id: variant.id, input })) !== null) tell(t('saved'))
  }
  return (
    <tr>
      <td className="strong">
        {name}
        {error && <Fault text={reasonOf(error)} />}
      </td>
      <td className="muted">{variant.sku}</td>
      <td className="end">
        {variant.inventory && (
          <Badge
            tone={variant.inventory.available === 0 ? 'bad' : variant.inventory.isLowStock ? 'wait' : 'calm'}
          >
            {t('inStock', { count: variant.inventory.available })}
          </Badge>
        )}
      </td>
      <td>
        {mayWrite ? (
          <div className="price">
            <NumberField
              label={t('priceOf', { name })}
              labelHidden
              value={price}
              minValue={0}
              step={1 / units}
              formatOptions={{ style: 'currency', currency: product.currency }}
              onChange={setPrice}
            />
            {price !== stored && (
              <Button isDisabled={pending} onPress={() => void save()}>
                {t('save')}
              </Button>
            )}
          </div>
        ) : (
          money(variant.price ?? product.price, product.currency)
        )}
      </td>
    </tr>
  )
}

export function StockCard({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  const mayAdjust = useMay('inventory:write')
  const [adjusting, setAdjusting] = useState(false)
  const { inventory } = product
  if (inventory === null) return null
  return (
    <Card title={t('stock')}>
      <dl className="facts">
        <dt>{t('available')}</dt>
        <dd className="number strong">{inventory.available}</dd>
        <dt>{t('reserved')}</dt>
        <dd className="number">{inventory.reserved}</dd>
      </dl>
      {inventory.warehouses.length > 0 && (
        <dl className="facts">
          {inventory.warehouses.map(({ warehouseId, warehouse, available }) => (
            <div key={warehouseId} className="row-of-facts">
              <dt>{warehouse.name}</dt>
              <dd className="number">{available}</dd>
            </div>
          ))}
        </dl>
      )}
      {mayAdjust && product.variants.length === 0 && (
        <Button onPress={() => setAdjusting(true)}>{t('adjustStock')}</Button>
      )}
      {adjusting && <AdjustDialog sku={product.sku} onClose={() => setAdjusting(false)} />}
    </Card>
  )
}
