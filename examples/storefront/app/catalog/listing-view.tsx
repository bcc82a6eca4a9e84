import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useLanguage } from '../language/use-language.tsx'
import { Facets } from './facets.tsx'
import { type Listing, pageSize, type Sort } from './listing.ts'
import { type CardProduct, ProductGrid } from './product-card.tsx'

interface ListingViewProps {
  readonly listing: Listing
  readonly sorts: readonly [Sort, ...Sort[]]
  readonly kept?: Readonly<Record<string, string>>
}

/** Products beside the filters that they can be narrowed by. */
export function ListingView({ listing, sorts, kept }: ListingViewProps): ReactNode {
  const { t } = useLanguage()
  const products = listing.results.filter((result): result is CardProduct => 'slug' in result)
  return (
    <div className="listing">
      <details className="filters" open>
        <summary>{t('filters')}</summary>
        <Facets
          listing={listing}
          currency={products[0]?.currency ?? 'USD'}
          sorts={sorts}
          {...(kept && { kept })}
        />
      </details>
      <div>
        <p role="status">{t('products', { count: listing.totalCount })}</p>
        {products.length === 0 ? <p>{t('noProducts')}</p> : <ProductGrid products={products} />}
        <Pages page={listing.page} last={Math.ceil(listing.totalCount / pageSize)} />
      </div>
    </div>
  )
}

function Pages({ page, last }: { readonly page: number; readonly last: number }): ReactNode {
  const { t } = useLanguage()
  const [params] = useSearchParams()
  const to = (number: number): string => {
    const next = new URLSearchParams(params)
    next.set('page', String(number))
    return `?${next.toString()}`
  }
  if (last < 2) return null
  return (
    <nav className="pages" aria-label={t('pages')}>
      {page > 1 && <Link to={to(page - 1)}>{t('previous')}</Link>}
      <span>
        {page} / {last}
      </span>
      {page < last && <Link to={to(page + 1)}>{t('next')}</Link>}
    </nav>
  )
}
