import { type ReactNode, useState } from 'react'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { ProductChoicesDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { SearchField } from '../ui/fields.tsx'
import { useTyped } from '../ui/use-filters.ts'

export interface ChosenProduct {
  readonly productId: string
  readonly variantId: string | null
  readonly name: string
  readonly sku: string
  readonly price: number
  readonly currency: string
  readonly quantity: number
}

/** Finds what can be added to an order, by name or SKU. */
export function ProductSearch({
  onChosen,
}: {
  readonly onChosen: (product: ChosenProduct) => void
}): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const [query, setQuery] = useState('')
  const [typed, type] = useTyped(query, setQuery)
  const { data } = useApi(
    'products',
    ProductChoicesDocument,
    { searchQuery: query },
    { enabled: query.length >= 2 },
  )
  const choices = (data?.products.nodes ?? []).flatMap((product): readonly ChosenProduct[] => {
    const base = { productId: product.id, currency: product.currency, quantity: 1 }
    if (product.variants.length === 0)
      return [{ ...base, variantId: null, name: product.name, sku: product.sku, price: product.price }]
    return product.variants.map(({ id, sku, price, options }) => ({
      ...base,
      variantId: id,
      name: `${product.name} (${options.map(({ value }) => value).join(' / ')})`,
      sku,
      price: price ?? product.price,
    }))
  })
  return (
    <div className="form">
      <SearchField label={t('addProduct')} value={typed} onChange={type} />
      {query.length >= 2 && (
        <ul className="found" aria-label={t('foundProducts')}>
          {choices.map((choice) => (
            <li key={choice.sku} className="between">
              <span className="wrap">
                {choice.name}{' '}
                <span className="small muted">
                  {choice.sku} · {money(choice.price, choice.currency)}
                </span>
              </span>
              <Button
                aria-label={t('addNamed', { name: choice.name })}
                onPress={() => {
                  onChosen(choice)
                  setQuery('')
                }}
              >
                {t('add')}
              </Button>
            </li>
          ))}
          {data !== undefined && choices.length === 0 && <li className="muted">{t('nothingFound')}</li>}
        </ul>
      )}
    </div>
  )
}
