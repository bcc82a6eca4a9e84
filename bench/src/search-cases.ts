import type { FacetsOfSearchQueryVariables, PageOfSearchQueryVariables } from './generated/operations.ts'

/** What the issue asks for, milliseconds. */
const target = { page: 30, facets: 100 } as const

interface CaseOf<Kind extends keyof typeof target | 'nextPage', Variables> {
  readonly kind: Kind
  readonly name: string
  /** The file in limits/search with the SQL that is written by hand. */
  readonly limit: string
  readonly variables: Variables
}

export type SearchCase =
  | CaseOf<'page' | 'nextPage', PageOfSearchQueryVariables>
  | CaseOf<'facets', FacetsOfSearchQueryVariables>

export const targetOf = ({ kind }: SearchCase): number => (kind === 'facets' ? target.facets : target.page)

/** In a shop of `fillSearchShop`. */
export const searchCases = (categoryId: string): readonly SearchCase[] => [
  {
    kind: 'page',
    name: 'words that few have',
    limit: 'page-of-narrow-words',
    variables: { query: 'warm wool jacket' },
  },
  {
    kind: 'page',
    name: 'a word of one in eight',
    limit: 'page-of-broad-word',
    variables: { query: 'jacket' },
  },
  {
    kind: 'nextPage',
    name: 'its next page',
    limit: 'next-page',
    variables: { query: 'jacket', sortBy: 'CREATED_AT' },
  },
  {
    kind: 'page',
    name: 'the beginning of a word',
    limit: 'page-of-prefix',
    variables: { query: 'warm jack' },
  },
  { kind: 'page', name: 'a mistyped word', limit: 'page-of-prefix', variables: { query: 'warm jakcet' } },
  {
    kind: 'page',
    name: 'a category by price',
    limit: 'page-of-category',
    variables: { filters: { categoryId }, sortBy: 'PRICE' },
  },
  { kind: 'page', name: 'all by date', limit: 'page-of-all', variables: { sortBy: 'CREATED_AT' } },
  {
    kind: 'facets',
    name: 'facets of words that few have',
    limit: 'facets-of-narrow-words',
    variables: { query: 'warm wool jacket' },
  },
  {
    kind: 'facets',
    name: 'facets of a word of one in eight',
    limit: 'facets-of-broad-word',
    variables: { query: 'jacket' },
  },
  {
    kind: 'facets',
    name: 'facets of a category',
    limit: 'facets-of-category',
    variables: { filters: { categoryId } },
  },
  {
    kind: 'facets',
    name: 'facets of a category with an option',
    limit: 'facets-of-category',
    variables: { filters: { categoryId, options: [{ name: 'Size', values: ['M'] }] } },
  },
  { kind: 'facets', name: 'facets of all', limit: 'facets-of-all', variables: {} },
]
