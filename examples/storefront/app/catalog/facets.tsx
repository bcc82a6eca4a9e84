import type { ReactNode } from 'react'
import { Form, Link, useSearchParams, useSubmit } from 'react-router'
import type { MessageName } from '../language/catalogue.ts'
import { useLanguage } from '../language/use-language.tsx'
import { type Facet, fieldOf, type Listing, type Sort, sortOf, valueOf } from './listing.ts'

const sortTexts: Readonly<Record<Sort, MessageName>> = {
  relevance: 'sortRelevance',
  best: 'sortBestSelling',
  price: 'sortPriceAsc',
  '-price': 'sortPriceDesc',
  new: 'sortNewest',
}

interface FacetsProps {
  readonly listing: Listing
  readonly currency: string
  readonly sorts: readonly [Sort, ...Sort[]]
  /** What the form keeps, such as the text that is searched for. */
  readonly kept?: Readonly<Record<string, string>>
}

/** Filters as a form whose fields are the address: each change asks at once, and without scripts a button does. */
export function Facets({ listing, currency, sorts, kept = {} }: FacetsProps): ReactNode {
  const { t } = useLanguage()
  const submit = useSubmit()
  const [params] = useSearchParams()
  const groups = Map.groupBy(
    listing.facets.flatMap((facet) => {
      const field = fieldOf(facet)
      return field === null || (facet.name === 'IN_STOCK' && facet.value !== 'true') ? [] : [{ field, facet }]
    }),
    ({ field }) => field,
  )
  return (
    <Form
      className="facets"
      aria-label={t('filters')}
      onChange={({ currentTarget }) => void submit(currentTarget, { preventScrollReset: true })}
    >
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label className="sort">
        {t('sort')}
        <select name="sort" defaultValue={sortOf(params, sorts[0])}>
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {t(sortTexts[sort])}
            </option>
          ))}
        </select>
      </label>
      {[...groups].map(([field, entries]) => (
        <FacetGroup
          key={field}
          field={field}
          facets={entries.map(({ facet }) => facet)}
          chosen={params.getAll(field)}
          currency={currency}
        />
      ))}
      <noscript>
        <button>{t('apply')}</button>
      </noscript>
      <Link className="clear" to={`?${new URLSearchParams(kept).toString()}`} preventScrollReset>
        {t('clearFilters')}
      </Link>
    </Form>
  )
}

interface FacetGroupProps {
  readonly field: string
  readonly facets: readonly Facet[]
  readonly chosen: readonly string[]
  readonly currency: string
}

function FacetGroup({ field, facets, chosen, currency }: FacetGroupProps): ReactNode {
  const { t, money } = useLanguage()
  const [first] = facets
  if (first === undefined) return null
  const range = ({ min, max }: Facet): string =>
    [min, max].map((price) => (price === null ? '' : money(price, currency))).join(' – ')
  const title = {
    TAG: t('tags'),
    PRICE: t('price'),
    IN_STOCK: t('inStockOnly'),
    OPTION: first.optionName,
    ATTRIBUTE: first.attributeName,
    CATEGORY: null,
    STATUS: null,
    TYPE: null,
  }[first.name]
  // Of prices there is one range; of the others there may be several.
  const one = first.name === 'PRICE'
  return (
    <fieldset>
      <legend>{title}</legend>
      {one && (
        <label>
          <input
            key={String(chosen.length)}
            type="radio"
            name={field}
            value=""
            defaultChecked={chosen.every((value) => value === '')}
          />
          {t('anyPrice')}
        </label>
      )}
      {facets.slice(0, 12).map((facet) => {
        const value = valueOf(facet)
        const checked = chosen.includes(value)
        return (
          <label key={value}>
            <input
              key={String(checked)}
              type={one ? 'radio' : 'checkbox'}
              name={field}
              value={value}
              defaultChecked={checked}
            />
            {one ? range(facet) : facet.name === 'IN_STOCK' ? t('inStock') : facet.label}
            <span className="facet-count">{facet.count}</span>
          </label>
        )
      })}
    </fieldset>
  )
}
