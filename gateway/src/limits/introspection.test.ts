import {
  buildClientSchema,
  executeSync,
  getIntrospectionQuery,
  type IntrospectionOptions,
  type IntrospectionQuery,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
} from 'graphql'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PersistedDocuments } from '../document/persisted-documents.ts'
import { checkRequest } from '../check-request.ts'
import { loadContract } from '@commerce-graph/contract'
import { Documents } from '../document/documents.ts'
import { limitsFrom } from './limits.ts'

const { schema } = loadContract()
const limits = limitsFrom({})
const parts = {
  documents: new Documents(schema, limits),
  persistedDocuments: new PersistedDocuments(limits),
  limits,
}

const check = (query: string, variables: Readonly<Record<string, unknown>> = {}) =>
  checkRequest(parts, { query, hash: null, variables, operationName: null })

/** The values of a document's answer, introspection included, or the ids of its errors. */
function weigh(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const checked = check(query, variables)
  return checked.kind === 'request'
    ? checked.operation.complexity(checked.variables) +
        checked.operation.introspectedValues(checked.variables)
    : checked.errors.map(({ id }) => id)
}

/** What a document counts in the rate. */
function complexity(query: string) {
  const checked = check(query)
  return checked.kind === 'request' ? checked.complexity : null
}

function stored(query: string): unknown {
  const checked = check(query)
  const read = checked.kind === 'request' ? checked.operation.stored : undefined
  return read && { __schema: JSON.parse(read().toString()) as unknown }
}

/**
 * The number of values in an answer, as complexity counts them: each field is one, and so is each item of a list of
 * objects.
 */
function valuesOf(answer: unknown): number {
  if (Array.isArray(answer))
    return answer.reduce<number>((sum, item) => sum + (typeof item === 'object' ? 1 + valuesOf(item) : 0), 0)
  if (typeof answer !== 'object' || answer === null) return 0
  return Object.values(answer).reduce<number>((sum, value) => sum + 1 + valuesOf(value), 0)
}

const executed = (query: string, variableValues = {}) =>
  executeSync({ schema, document: parse(query), variableValues }).data

const option = fc.boolean()
const anyOptions: fc.Arbitrary<IntrospectionOptions> = fc.record({
  descriptions: option,
  specifiedByUrl: option,
  directiveIsRepeatable: option,
  schemaDescription: option,
  inputValueDeprecation: option,
  oneOf: option,
  typeDepth: fc.integer({ min: 7, max: 14 }),
})

describe('the standard introspection query', () => {
  test('counts as 1 with any of its options, and its stored answer equals the executed one', () => {
    fc.assert(
      fc.property(anyOptions, (options) => {
        const query = getIntrospectionQuery(options)
        expect(complexity(query)).toBe(1)
        expect(stored(query)).toEqual(executed(query))
      }),
      { numRuns: 12 },
    )
  })

  test('is recognized in other layouts and orders, as other releases send it', () => {
    const query = getIntrospectionQuery()
    expect(complexity(print(parse(query)).replaceAll(/\s+/g, ' '))).toBe(1)
    const older = query
      .replaceAll('{ name kind }', '{ name }')
      .replace('kind\n      name', 'name\n      kind')
    expect(older).not.toBe(query)
    expect(complexity(older)).toBe(1)
    expect(stored(older)).toEqual(executed(older))
  })

  test('lets a client build the whole schema', () => {
    const answer = stored(getIntrospectionQuery()) as IntrospectionQuery
    expect(printSchema(lexicographicSortSchema(buildClientSchema(answer)))).toBe(
      printSchema(
        lexicographicSortSchema(
          buildClientSchema(executed(getIntrospectionQuery()) as unknown as IntrospectionQuery),
        ),
      ),
    )
  })

  test.each([
    ['an alias', (query: string) => query.replace('queryType', 'q: queryType')],
    ['a directive', (query: string) => query.replace('queryType {', 'queryType @include(if: true) {')],
    ['a missing field', (query: string) => query.replace('subscriptionType { name kind }', '')],
    ['an additional field', (query: string) => query.replace('queryType {', 'queryType { __typename')],
    ['another field beside it', (query: string) => query.replace('__schema {', '__typename __schema {')],
    [
      'types cut short',
      (query: string) => query.replace(/ofType \{[\s\S]*\}\s*\}\s*$/, 'ofType { name kind } }'),
    ],
  ])('is not stored with %s, and counts in full', (_difference, change) => {
    const query = change(getIntrospectionQuery())
    expect(query).not.toBe(getIntrospectionQuery())
    expect(check(query).kind).toBe('request')
    expect(stored(query)).toBeUndefined()
    expect(weigh(query)).toBe(valuesOf(executed(query)))
  })
})

describe('other introspection', () => {
  test.each([
    '{ __schema { queryType { name } } }',
    '{ __schema { types { name fields { name args { name type { kind } } } } } }',
    '{ __type(name: "Product") { ...T } } fragment T on __Type { fields(includeDeprecated: true) { name ...F ...F } } fragment F on __Field { type { name } }',
    '{ a: __type(name: "Order") { fields { name } } b: __type(name: "Nothing") { fields { name } } __typename }',
    '{ __schema { types { name ... on __Type { kind } } types { kind description } } }',
  ])('%s counts the values of its answer', (query) => {
    expect(weigh(query)).toBe(valuesOf(executed(query)))
  })

  test('with variables counts the values of its answer', () => {
    const query =
      'query ($name: String!, $more: Boolean!) { __type(name: $name) { fields(includeDeprecated: $more) @include(if: $more) { name } } }'
    for (const more of [true, false])
      expect(weigh(query, { name: 'Order', more })).toBe(valuesOf(executed(query, { name: 'Order', more })))
  })

  test('takes nothing of the bound of the data beside it, and counts half in the rate', () => {
    const data = '{ products(first: 100) { edges { node { id } } } }'
    const both = data.replace('{', '{ __schema { types { fields { args { name } } } } ')
    const counted = Number(complexity(data))
    const introspected = Number(weigh(both)) - counted
    expect(introspected).toBeGreaterThan(1000)
    expect(complexity(both)).toBe(counted + Math.ceil(introspected / 2))
  })

  test('of the whole schema is within the bound twice', () => {
    const whole = getIntrospectionQuery().replace('queryType', 'q: queryType')
    expect(Number(weigh(whole))).toBeLessThan(limits.introspection / 2)
  })

  test('is counted up to the bound over the whole document, not for each of its schemas', () => {
    const schemas = Array.from({ length: 20 }, (_, i) => `s${i}: __schema { ...All }`).join(' ')
    const checked = check(
      `{ ${schemas} } fragment All on __Schema { types { fields { name args { name type { kind name } } } } }`,
    )
    const single = weigh('{ __schema { types { fields { name args { name type { kind name } } } } } }')
    const [error] = checked.kind === 'refused' ? checked.errors : []
    const counted = Number(/complexity of (\d+)/.exec(error?.message ?? '')?.[1])
    expect(counted).toBeGreaterThan(limits.introspection)
    expect(counted).toBeLessThan(limits.introspection + Number(single))
  })

  test('with a page of dumps is refused as too complex', () => {
    const type = 'fragment T on __Type { name fields { name args { name type { ...R } } type { ...R } } }'
    const reference = 'fragment R on __Type { kind name ofType { kind name ofType { kind name } } }'
    const aliases = Array.from({ length: 48 }, (_, index) => `t${index}: types { ...T }`).join(' ')
    expect(weigh(`{ __schema { ${aliases} } } ${type} ${reference}`)).toEqual(['SVC_GQL_002'])
    const twice = Array.from({ length: 10 }, (_, index) => `s${index}: __schema { ...X }`).join(' ')
    const tens = Array.from({ length: 10 }, (_, index) => `x${index}: types { ...T }`).join(' ')
    expect(weigh(`{ ${twice} } fragment X on __Schema { ${tens} } ${type} ${reference}`)).toEqual([
      'SVC_GQL_002',
    ])
  })

  test('with fragments that spread each other stops the counting, not the process', () => {
    const levels = Array.from(
      { length: 24 },
      (_, index) =>
        `fragment F${index} on __Type { a${index}: ofType { ...F${index + 1} } b${index}: ofType { ...F${index + 1} } }`,
    )
    const repeated = '...S '.repeat(700)
    const bomb = `{ __schema { types { fields { type { ...F0 } } } } } ${levels.join(' ')} fragment F24 on __Type { ${repeated} } fragment S on __Type { name }`
    expect([weigh(bomb)].flat()).toHaveLength(1)
  })
})
