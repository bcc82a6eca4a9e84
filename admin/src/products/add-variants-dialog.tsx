import type { RequestError } from '@commerce-graph/client'
import { type ReactNode, useState } from 'react'
import { askAgain, changeOrRefusal } from '../api/api.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { CreateVariantDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Product } from './product-page.tsx'
import { combinations, missingCombinations, optionNames, skuFor, valuesOf } from './variant-options.ts'

interface Props {
  readonly product: Product
  readonly onClose: () => void
}

interface TypedOption {
  readonly name: string
  readonly values: string
}

/** The API takes 200 variants of a product. */
const maxVariants = 200
const maxOptions = 3

/** The options that there are, with the values that the variants have. */
function knownOptions({ variants }: Product): readonly TypedOption[] {
  const names = optionNames(variants)
  if (names.length === 0) return [{ name: '', values: '' }]
  return names.map((name) => ({
    name,
    values: [
      ...new Set(
        variants.flatMap(({ options }) =>
          options.filter((each) => each.name === name).map((each) => each.value),
        ),
      ),
    ].join(', '),
  }))
}

/** Makes a variant of each combination of options that has none yet. */
export function AddVariantsDialog({ product, onClose }: Props): ReactNode {
  const t = useText()
  const [options, setOptions] = useState(() => knownOptions(product))
  const [price, setPrice] = useState(product.price / unitsOf(product.currency))
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  const isNew = product.variants.length === 0
  const missing = missingCombinations(
    combinations(options.map(({ name, values }) => ({ name, values: valuesOf(values) }))),
    product.variants,
  )
  const set = (index: number, part: Partial<TypedOption>) =>
    setOptions(options.map((each, at) => (at === index ? { ...each, ...part } : each)))
  const submit = async () => {
    setPending(true)
    const minor = Math.round(price * unitsOf(product.currency))
    let refusal: RequestError | null = null
    for (const each of missing) {
      const input = {
        sku: skuFor(product.sku, each),
        options: each,
        ...(minor !== product.price && { price: minor }),
      }
      refusal = await changeOrRefusal(CreateVariantDocument, { productId: product.id, input })
      if (refusal !== null) break
    }
    await askAgain(['products'])
    setPending(false)
    setError(refusal)
    if (refusal !== null) return
    tell(t('variantsAdded', { count: missing.length }))
    onClose()
  }
  return (
    <FormDialog
      title={t('addVariants')}
      fields={[]}
      error={error}
      submit={t('addCount', { count: missing.length })}
      pending={pending}
      disabled={
        missing.length === 0 || product.variants.length + missing.length > maxVariants || Number.isNaN(price)
      }
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p className="muted">{t('addVariantsText')}</p>
      {options.map(({ name, values }, index) => (
        <div key={index} className="columns">
          <TextField
            label={t('optionName')}
            placeholder={t('optionNameExample')}
            value={name}
            onChange={(next) => set(index, { name: next })}
            isReadOnly={!isNew}
            maxLength={50}
          />
          <TextField
            label={t('optionValues')}
            hint={t('optionValuesHint')}
            value={values}
            onChange={(next) => set(index, { values: next })}
          />
        </div>
      ))}
      {isNew && options.length < maxOptions && (
        <div>
          <Button look="quiet" icon="plus" onPress={() => setOptions([...options, { name: '', values: '' }])}>
            {t('addOption')}
          </Button>
        </div>
      )}
      <NumberField
        label={t('price')}
        value={price}
        minValue={0}
        step={1 / unitsOf(product.currency)}
        formatOptions={moneyOptions(product.currency)}
        onChange={setPrice}
      />
      {missing.length > 0 && (
        <div>
          <h3>{t('willBeAdded')}</h3>
          <ul className="small muted">
            {missing.slice(0, 12).map((each) => (
              <li key={skuFor(product.sku, each)}>
                {each.map(({ value }) => value).join(' / ')} · {skuFor(product.sku, each)}
              </li>
            ))}
            {missing.length > 12 && <li>{t('andMore', { count: missing.length - 12 })}</li>}
          </ul>
        </div>
      )}
    </FormDialog>
  )
}
