import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { DeleteVariantDocument, UpdateVariantDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Fault } from '../ui/dialog.tsx'
import { NumberField, TextField } from '../ui/fields.tsx'
import { Badge, Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { AddVariantsDialog } from './add-variants-dialog.tsx'
import type { Product } from './product-page.tsx'
import { optionNames, variantInput } from './variant-options.ts'

type Variant = Product['variants'][number]

/** The variants in a grid, whose SKUs and prices are changed in their place. */
export function VariantsCard({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  const mayWrite = useMay('products:write')
  const [adding, setAdding] = useState(false)
  const names = optionNames(product.variants)
  const add = mayWrite && (
    <Button icon="plus" onPress={() => setAdding(true)}>
      {t('addVariants')}
    </Button>
  )
  return (
    <Card title={t('variants')} actions={product.variants.length > 0 && add}>
      {product.variants.length === 0 ? (
        <>
          <p className="muted">{t('noVariants')}</p>
          {add && <div>{add}</div>}
        </>
      ) : (
        <div className="scroll" tabIndex={0} role="group" aria-label={t('variants')}>
          <table className="grid-table">
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col">{t('sku')}</th>
                <th scope="col">{t('price')}</th>
                <th scope="col" className="end">
                  {t('available')}
                </th>
                {mayWrite && (
                  <th scope="col">
                    <span className="hidden">{t('more')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {product.variants.map((variant) => (
                <VariantRow key={variant.id} product={product} variant={variant} names={names} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {adding && <AddVariantsDialog product={product} onClose={() => setAdding(false)} />}
    </Card>
  )
}

interface RowProps {
  readonly product: Product
  readonly variant: Variant
  readonly names: readonly string[]
}

const nameOf = ({ options, sku }: Variant): string => options.map(({ value }) => value).join(' / ') || sku

function VariantRow({ product, variant, names }: RowProps): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const mayWrite = useMay('products:write')
  const { run, error, pending } = useChange(UpdateVariantDocument, ['products'])
  const [removing, setRemoving] = useState(false)
  const units = unitsOf(product.currency)
  const stored = { sku: variant.sku, price: (variant.price ?? product.price) / units }
  const { changed, set, saved } = useDraft(stored)
  // What isn't typed follows the product, whose price is the variant's until it has one of its own.
  const { sku, price } = { ...stored, ...changed }
  const name = nameOf(variant)
  const input = variantInput(changed, units)
  const save = async () => {
    if ((await run({ id: variant.id, input })) === null) return
    saved()
    tell(t('saved'))
  }
  return (
    <tr>
      {names.map((each) => (
        <td key={each} className="strong">
          {variant.options.find((option) => option.name === each)?.value ?? '–'}
        </td>
      ))}
      <td>
        {mayWrite ? (
          <TextField
            label={t('skuOf', { name })}
            labelHidden
            value={sku}
            onChange={(next) => set({ sku: next })}
          />
        ) : (
          variant.sku
        )}
        {error && <Fault text={reasonOf(error)} />}
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
              formatOptions={moneyOptions(product.currency)}
              onChange={(next) => set({ price: next })}
            />
            {/* Always there, so that nothing moves under the pointer when it is saved. */}
            <Button isDisabled={pending || Object.keys(input).length === 0} onPress={() => void save()}>
              {t('save')}
            </Button>
          </div>
        ) : (
          money(variant.price ?? product.price, product.currency)
        )}
      </td>
      <td className="end">
        {variant.inventory && (
          <Badge
            tone={variant.inventory.available === 0 ? 'bad' : variant.inventory.isLowStock ? 'wait' : 'calm'}
          >
            {t('inStock', { count: variant.inventory.available })}
          </Badge>
        )}
      </td>
      {mayWrite && (
        <td className="end">
          <IconButton icon="trash" label={t('removeVariant', { name })} onPress={() => setRemoving(true)} />
          {removing && (
            <ConfirmDialog
              title={t('removeVariant', { name })}
              lead={t('removeVariantText', { sku: variant.sku })}
              submit={t('delete')}
              danger
              document={DeleteVariantDocument}
              variables={{ id: variant.id }}
              subjects={['products', 'stock']}
              done={t('variantRemoved', { name })}
              onClose={() => setRemoving(false)}
            />
          )}
        </td>
      )}
    </tr>
  )
}
