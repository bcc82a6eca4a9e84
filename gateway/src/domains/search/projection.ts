import { isUnicodeText, unicodeText } from '@commerce-graph/contract/input'
import { type CatalogueError, invalidFormat, outOfRange } from '@commerce-graph/contract/errors'
import { ascending, descending } from '../../projection/condition.ts'
import {
  equals,
  hasAll,
  idEquals,
  searchIn,
  searchLengthError,
  toUuid,
  statusFilters,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, FunctionArgument } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const articles: ConnectionProjection = {
  projection: 'Article',
  sortFields: {
    TITLE: { column: 'name', type: 'String' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    tags: hasAll('tags'),
    searchQuery: searchIn({ name: 'String' }),
    ...updatedAtFilters,
  },
}

/** The maximum offset of search results. Matches beyond it are poor. */
const maxOffset = 1000

type Values = Readonly<Record<string, unknown>>

const between = (field: string, value: unknown, min: number, max: number): readonly CatalogueError[] =>
  typeof value === 'number' && (value < min || value > max) ? [outOfRange(field, value, min, max)] : []

function checkQuery({ query }: Values): readonly CatalogueError[] {
  const wrong = searchLengthError(query, 'query')
  const unstorable = isUnicodeText(String(query)) ? [] : [invalidFormat('query', unicodeText)]
  return wrong ? [wrong] : unstorable
}

const filtersOf = (args: Values): Values => (args['filters'] ?? {}) as Values

const filter = (
  name: string,
  type: string,
  toVariable?: FunctionArgument['toVariable'],
): FunctionArgument => ({
  type,
  read: (args) => filtersOf(args)[name],
  ...(toVariable && { toVariable }),
})

/** A function's array arguments are scalars in Hasura, written as PostgreSQL writes arrays. */
function toTextArray(texts: unknown): string {
  const elements = (texts as readonly string[]).map(
    (text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  )
  return `{${elements.join(',')}}`
}

function checkFilters(args: Values): readonly CatalogueError[] {
  const unstorable = !((filtersOf(args)['tags'] ?? []) as readonly string[]).every(isUnicodeText)
  return unstorable ? [invalidFormat('filters.tags', unicodeText)] : []
}

export const search: DomainProjection = {
  queries: {
    search: {
      kind: 'functions',
      type: 'SearchResults',
      args: {
        query: { type: 'String!' },
        types: filter('types', '_text!', toTextArray),
        categoryId: filter('categoryId', 'uuid!', toUuid),
        tags: filter('tags', '_text!', toTextArray),
        priceMin: filter('priceMin', 'bigint!'),
        priceMax: filter('priceMax', 'bigint!'),
        inStock: filter('inStock', 'Boolean!'),
        status: filter('status', 'String!'),
      },
      check: (args) => [
        ...checkQuery(args),
        ...checkFilters(args),
        ...between('first', args['first'], 1, 100),
        ...between('offset', args['offset'], 0, maxOffset),
      ],
      parts: {
        results: {
          kind: 'union',
          function: 'search_search',
          // By the object relationship that leads to it.
          members: { product: 'Product', category: 'Category', article: 'Article' },
          orderBy: [descending('rank'), ascending('id')],
          limit: { argument: 'first', preset: 20 },
          offset: 'offset',
        },
        totalCount: { kind: 'count', function: 'search_search_aggregate' },
        facets: {
          kind: 'list',
          function: 'search_facets',
          projection: 'SearchFacet',
          orderBy: [ascending('name'), descending('count'), ascending('min'), ascending('value')],
        },
      },
    },
    searchSuggestions: {
      kind: 'function',
      function: 'search_suggestions',
      projection: 'SearchSuggestion',
      args: { query: { type: 'String!' } },
      check: (args) => [...checkQuery(args), ...between('first', args['first'], 1, 100)],
      orderBy: [descending('rank'), ascending('text')],
      limit: { argument: 'first', preset: 10 },
    },
    article: {
      kind: 'lookup',
      projection: 'Article',
      by: { id: idEquals('id'), slug: equals('slug', 'String') },
    },
    articles: { kind: 'connection', connection: articles },
  },
  types: {
    Article: {
      type: 'Article',
      table: 'search_article',
      fields: { title: { kind: 'column', column: 'name' } },
    },
    SearchFacet: { type: 'SearchFacet', table: 'search_facet' },
    SearchSuggestion: { type: 'SearchSuggestion', table: 'search_suggestion' },
  },
}
