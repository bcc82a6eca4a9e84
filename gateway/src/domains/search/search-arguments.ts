import { isDateTime, isUnicodeText, unicodeText } from '@commerce-graph/contract/input'
import { type CatalogueError, invalidFormat, outOfRange } from '@commerce-graph/contract/errors'
import { decodeCursor } from '../../cursor/cursor.ts'
import { isUuid, searchLengthError, toUuid } from '../../projection/filter.ts'
import type { FunctionArgument } from '../../projection/types.ts'

export type Values = Readonly<Record<string, unknown>>

/** The maximum offset of search results. A cursor leads further. */
const maxOffset = 1000

/** The results of a page. */
export const pageLimit = { argument: 'first', preset: 20 } as const

/** Of options, and of attributes. */
const maxGroups = 20
const maxGroupValues = 50

/** What cursors call the list of results. */
export const searchList = 'SearchResult'

interface OptionFilter {
  readonly name: string
  readonly values: readonly string[]
}

interface AttributeFilter {
  readonly namespace: string
  readonly key: string
  readonly values?: readonly string[] | null
  readonly min?: number | null
  readonly max?: number | null
}

const between = (field: string, value: unknown, min: number, max: number): readonly CatalogueError[] =>
  typeof value === 'number' && (value < min || value > max) ? [outOfRange(field, value, min, max)] : []

export const checkFirst = ({ first }: Values): readonly CatalogueError[] => between('first', first, 1, 100)

export function checkQuery({ query }: Values): readonly CatalogueError[] {
  if (query == null) return []
  const wrong = searchLengthError(query, 'query')
  const unstorable = isUnicodeText(query as string) ? [] : [invalidFormat('query', unicodeText)]
  return wrong ? [wrong] : unstorable
}

const filtersOf = (args: Values): Values => (args['filters'] ?? {}) as Values

const optionsOf = (args: Values): readonly OptionFilter[] =>
  (filtersOf(args)['options'] ?? []) as readonly OptionFilter[]

const attributesOf = (args: Values): readonly AttributeFilter[] =>
  (filtersOf(args)['attributes'] ?? []) as readonly AttributeFilter[]

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

/** What the results are sorted by: without a text, none is more relevant than another, and the newest come first. */
function sortOf({ query, sortBy }: Values): string {
  const given = typeof sortBy === 'string' ? sortBy : 'RELEVANCE'
  return given === 'RELEVANCE' && query == null ? 'CREATED_AT' : given
}

const isWhole = (value: string): boolean => /^\d{1,16}$/.test(value)

/** Ranks are of the type real. Postgres refuses a number that this would round to 0. */
const isRank = (value: string): boolean =>
  /^\d{1,3}(\.\d{1,12})?(e-\d\d)?$/.test(value) && (Number(value) === 0 || Math.fround(Number(value)) !== 0)

/** Cursors are not signed, so what one says is checked before Postgres reads it. */
const sortValues: Readonly<Record<string, (value: string) => boolean>> = {
  RELEVANCE: isRank,
  PRICE: isWhole,
  NAME: isUnicodeText,
  CREATED_AT: isDateTime,
  BEST_SELLING: isWhole,
}

function placeOf(args: Values): { readonly value: string; readonly id: string } | undefined {
  const cursor = decodeCursor(String(args['after']))
  const sort = sortOf(args)
  if (cursor?.sort !== `${searchList}.${sort}` || typeof cursor.value !== 'string') return undefined
  const { value, id } = cursor
  return sortValues[sort]?.(value) === true && isUuid(id) ? { value, id } : undefined
}

function checkPlace(args: Values): readonly CatalogueError[] {
  if (args['after'] == null) return []
  if (args['offset'] != null)
    return [invalidFormat('offset', 'nothing beside `after`', 'after and offset exclude each other')]
  return placeOf(args) ? [] : [invalidFormat('after', 'cursor of this list in this sort order')]
}

function checkAttribute(
  { namespace, key, values, min, max }: AttributeFilter,
  field: string,
): readonly CatalogueError[] {
  if (![namespace, key, ...(values ?? [])].every(isUnicodeText)) return [invalidFormat(field, unicodeText)]
  const asksForValues = values != null
  const asksForRange = min != null || max != null
  if (asksForValues === asksForRange)
    return [invalidFormat(`${field}.values`, 'values, or min and max', 'an attribute has values or a range')]
  if (asksForValues) return between(`${field}.values`, values.length, 1, maxGroupValues)
  return min != null && max != null && min > max
    ? [invalidFormat(`${field}.max`, 'number of at least min')]
    : []
}

function checkAttributes(args: Values): readonly CatalogueError[] {
  const attributes = attributesOf(args)
  const names = attributes.map(({ namespace, key }) => `${namespace}.${key}`)
  return [
    ...between('filters.attributes', attributes.length, 0, maxGroups),
    ...attributes.flatMap((attribute, index) => {
      const field = `filters.attributes.${index}`
      return names.indexOf(names[index] ?? '') < index
        ? [invalidFormat(`${field}.key`, 'another attribute', 'each attribute is named once')]
        : checkAttribute(attribute, field)
    }),
  ]
}

function checkFilters(args: Values): readonly CatalogueError[] {
  const tags = (filtersOf(args)['tags'] ?? []) as readonly string[]
  const options = optionsOf(args)
  return [
    ...(tags.every(isUnicodeText) ? [] : [invalidFormat('filters.tags', unicodeText)]),
    ...between('filters.options', options.length, 0, maxGroups),
    ...options.flatMap(({ name, values }, index) => [
      ...between(`filters.options.${index}.values`, values.length, 1, maxGroupValues),
      ...([name, ...values].every(isUnicodeText)
        ? []
        : [invalidFormat(`filters.options.${index}`, unicodeText)]),
    ]),
    ...checkAttributes(args),
  ]
}

export const checkSearch = (args: Values): readonly CatalogueError[] => [
  ...checkQuery(args),
  ...checkFilters(args),
  ...checkPlace(args),
  ...checkFirst(args),
  ...between('offset', args['offset'], 0, maxOffset),
]

/** The arguments of the functions of search, which all take the same. */
export const searchArguments: Readonly<Record<string, FunctionArgument>> = {
  query: { type: 'String!' },
  types: filter('types', '_text!', toTextArray),
  categoryId: filter('categoryId', 'uuid!', toUuid),
  tags: filter('tags', '_text!', toTextArray),
  options: filter('options', 'jsonb!'),
  attributes: filter('attributes', 'jsonb!'),
  priceMin: filter('priceMin', 'bigint!'),
  priceMax: filter('priceMax', 'bigint!'),
  inStock: filter('inStock', 'Boolean!'),
  status: filter('status', 'String!'),
  sortBy: { type: 'String!', read: sortOf },
  sortOrder: { type: 'String!' },
  afterValue: {
    type: 'String!',
    read: (args) => (args['after'] == null ? undefined : (placeOf(args)?.value ?? '')),
  },
  afterId: { type: 'uuid!', read: (args) => (args['after'] == null ? undefined : (placeOf(args)?.id ?? '')) },
  // One more says whether there is another page.
  pageSize: { type: 'Int!', read: ({ first }) => Number(first ?? pageLimit.preset) + 1 },
  pageOffset: { type: 'Int!', read: ({ offset }) => offset },
}
