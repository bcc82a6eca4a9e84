import type { Client } from '@commerce-graph/client'
import { ListingDocument, type ListingQuery, type ListingQueryVariables } from '../generated/operations.ts'
import { ask } from '../shop/ask.ts'

export const pageSize = 24
/** The search passes over at most 1,000 results. */
const lastPage = Math.floor(1_000 / pageSize)

export const sorts = ['relevance', 'best', 'price', '-price', 'new'] as const
export type Sort = (typeof sorts)[number]

type Filters = NonNullable<ListingQueryVariables['filters']>
export type Listing = ListingQuery['search'] & { readonly page: number }
export type Facet = Listing['facets'][number]

/** The name of a facet's field in the address, such as `option.Size` or `attribute.spec.material`. */
export function fieldOf({ name, optionName, namespace, key }: Facet): string | null {
  switch (name) {
    case 'TAG':
      return 'tag'
    case 'OPTION':
      return optionName === null ? null : `option.${optionName}`
    case 'ATTRIBUTE':
      return namespace === null || key === null ? null : `attribute.${namespace}.${key}`
    case 'PRICE':
      return 'price'
    case 'IN_STOCK':
      return 'inStock'
    case 'CATEGORY':
    case 'STATUS':
    case 'TYPE':
      return null
    default:
      return name satisfies never
  }
}

/** A facet's value in the address; a price's is its range. */
export const valueOf = ({ name, value, min, max }: Facet): string =>
  name === 'PRICE' ? `${min ?? ''}-${max ?? ''}` : value

/** The filters that an address asks for. What it has of no meaning is left out: addresses are typed and shared. */
export function filtersFrom(params: URLSearchParams): Filters {
  const names = [...new Set(params.keys())]
  const options = names.flatMap((name) => {
    const option = /^option\.(.+)$/.exec(name)?.[1]
    return option === undefined ? [] : [{ name: option, values: params.getAll(name) }]
  })
  const attributes = names.flatMap((name) => {
    const [, namespace, key] = /^attribute\.([^.]+)\.(.+)$/.exec(name) ?? []
    return namespace === undefined || key === undefined
      ? []
      : [{ namespace, key, values: params.getAll(name) }]
  })
  const [, min, max] = /^(\d*)-(\d*)$/.exec(params.get('price') ?? '') ?? []
  return {
    types: ['PRODUCT'],
    ...(options.length > 0 && { options }),
    ...(attributes.length > 0 && { attributes }),
    ...(params.has('tag') && { tags: params.getAll('tag') }),
    ...(params.get('inStock') === 'true' && { inStock: true }),
    ...(min !== undefined && min !== '' && { priceMin: Number(min) }),
    ...(max !== undefined && max !== '' && { priceMax: Number(max) }),
  }
}

const orders: Readonly<Record<Sort, Pick<ListingQueryVariables, 'sortBy' | 'sortOrder'>>> = {
  relevance: { sortBy: 'RELEVANCE' },
  best: { sortBy: 'BEST_SELLING', sortOrder: 'DESC' },
  price: { sortBy: 'PRICE', sortOrder: 'ASC' },
  '-price': { sortBy: 'PRICE', sortOrder: 'DESC' },
  new: { sortBy: 'CREATED_AT', sortOrder: 'DESC' },
}

export const sortOf = (params: URLSearchParams, standard: Sort): Sort =>
  sorts.find((sort) => sort === params.get('sort')) ?? standard

function pageOf(params: URLSearchParams): number {
  const page = Number(params.get('page') ?? 1)
  return Number.isInteger(page) && page >= 1 ? Math.min(page, lastPage) : 1
}

interface ListingRequest {
  readonly params: URLSearchParams
  readonly sort: Sort
  readonly query?: string
  readonly categoryId?: string
  readonly signal: AbortSignal
}

/** A page of products with the facets to filter them by, as the address asks for. */
export async function loadListing(
  client: Client,
  { params, sort, query, categoryId, signal }: ListingRequest,
): Promise<Listing> {
  const page = pageOf(params)
  const { search } = await ask(
    client,
    ListingDocument,
    {
      ...orders[sortOf(params, sort)],
      filters: { ...filtersFrom(params), ...(categoryId !== undefined && { categoryId }) },
      offset: (page - 1) * pageSize,
      ...(query !== undefined && { query }),
    },
    signal,
  )
  return { ...search, page }
}
