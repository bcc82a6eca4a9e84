import { Kind, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { loadContract } from '@commerce-graph/contract'
import { limitsFrom } from '../limits/limits.ts'
import { Documents } from './documents.ts'
import { validateDocument } from './validate.ts'
import { readVariables, variableDefinitions } from './variables.ts'

const { schema } = loadContract()

const refusals = (text: string) =>
  validateDocument(schema, parse(text)).map(({ id, message, details }) => ({
    id,
    message,
    field: details.field,
  }))

describe('a document', () => {
  test('that fits the schema has no errors', () => {
    expect(refusals('{ products(first: 2) { edges { node { id } } } }')).toEqual([])
  })

  test('that selects an unknown field is a syntax error with its position', () => {
    const [error] = validateDocument(schema, parse('{\n  products { edgs { node { id } } }\n}'))
    expect(error).toMatchObject({ id: 'SVC_GQL_003', status: 400, locations: [{ line: 2, column: 14 }] })
    expect(error?.message).toBe(
      'Syntax Error: Cannot query field "edgs" on type "ProductConnection". Did you mean "edges"?',
    )
  })

  test('without a required argument names it', () => {
    expect(refusals('{ shipment { id } }')).toEqual([
      { id: 'SVC_VAL_001', message: 'Field id is required but was not provided', field: 'id' },
    ])
  })

  test('with null for a required value names the place, however deep in the arguments', () => {
    const text = `mutation { createOrder(input: { customerId: "1", shippingAddress: null,
      items: [{ productId: "1", quantity: 1 }, { productId: null, quantity: 1 }] }) { order { id } } }`
    expect(refusals(text).map(({ id, field }) => [id, field])).toEqual([
      ['SVC_VAL_001', 'input.shippingAddress'],
      ['SVC_VAL_001', 'input.items.1.productId'],
    ])
  })

  test('without a required input field names it', () => {
    const text = `mutation { createOrder(input: { customerId: "1", shippingAddress: { line1: "x" },
      items: [{ productId: "1" }] }) { order { id } } }`
    expect(refusals(text).map(({ field }) => field)).toEqual([
      'input.shippingAddress.city',
      'input.shippingAddress.state',
      'input.shippingAddress.postalCode',
      'input.shippingAddress.country',
      'input.items.0.quantity',
    ])
  })

  test.each([
    ['{ orders(status: DONE) { totalCount } }', 'status', 'one of PENDING, CONFIRMED'],
    [
      '{ orders(filters: { startDate: "yesterday" }) { totalCount } }',
      'filters.startDate',
      'ISO 8601 timestamp',
    ],
    [
      '{ products(filters: { priceMin: 9.99 }) { totalCount } }',
      'filters.priceMin',
      'whole number of minor units',
    ],
    ['{ products(first: "ten") { totalCount } }', 'first', 'whole number'],
    ['query ($n: Int = "x") { products(first: $n) { totalCount } }', 'n', 'whole number'],
  ])('with a malformed value names the expected form: %s', (text, field, expected) => {
    const [error, ...more] = refusals(text)
    expect(more).toEqual([])
    expect(error).toMatchObject({ id: 'SVC_VAL_002', field })
    expect(error?.message).toContain(`Field ${field} has invalid format. Expected: ${expected}`)
  })

  test('with an unknown input field is a syntax error that names it', () => {
    expect(refusals('{ products(filters: { colour: "red" }) { totalCount } }')).toMatchObject([
      { id: 'SVC_GQL_003', field: 'filters.colour' },
    ])
  })

  test('with a subscription whose root field depends on a variable is a syntax error with its position', () => {
    const fields = [
      'product(id: "1") @skip(if: $s) { id }',
      '... @include(if: $s) { product(id: "1") { id } }',
    ]
    for (const field of fields) {
      const text = `subscription ($s: Boolean!) {\n${field} }`
      expect(validateDocument(schema, parse(text))).toMatchObject([
        { id: 'SVC_GQL_003', status: 400, locations: [{ line: 2 }] },
      ])
    }
    expect(refusals('subscription ($s: Boolean!) { product(id: "1") { id @skip(if: $s) } }')).toEqual([])
  })

  test('with a thousand errors gets only the first few', () => {
    const fields = Array.from({ length: 1000 }, (_, i) => `nothing${i}`).join(' ')
    expect(refusals(`{ ${fields} }`).length).toBeLessThan(30)
  })
})

describe('variables', () => {
  const read = (text: string, variables: Record<string, unknown>) => {
    const [operation] = parse(text).definitions
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation')
    return readVariables(variableDefinitions(schema, operation satisfies OperationDefinitionNode), variables)
  }
  const errorsOf = (text: string, variables: Record<string, unknown>) => {
    const result = read(text, variables)
    return 'errors' in result
      ? result.errors.map(({ id, details, message }) => [id, details.field, message])
      : []
  }
  const createProduct =
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { errors { field } } }'

  test('are parsed, get their defaults, and stay absent if they were not sent', () => {
    const text =
      'query ($a: Int = 5, $b: Int, $c: String) { products(first: $a, last: $b, after: $c) { totalCount } }'
    expect(read(text, { c: null, unused: 1 })).toEqual({ variables: { a: 5, c: null } })
  })

  test('that are required and missing or null are SVC_VAL_001', () => {
    const message = 'Field input is required but was not provided'
    expect(errorsOf(createProduct, {})).toEqual([['SVC_VAL_001', 'input', message]])
    expect(errorsOf(createProduct, { input: null })).toEqual([['SVC_VAL_001', 'input', message]])
  })

  test('get all their errors at once, each with its path', () => {
    const input = {
      name: null,
      price: 1.5,
      currency: 'USD',
      images: [{ url: 'ftp://x' }, { alt: 'x' }],
      colour: 'red',
    }
    expect(errorsOf(createProduct, { input }).map(([id, field]) => [id, field])).toEqual([
      ['SVC_VAL_001', 'input.name'],
      ['SVC_VAL_001', 'input.sku'],
      ['SVC_VAL_002', 'input.price'],
      ['SVC_VAL_002', 'input.images.0.url'],
      ['SVC_VAL_001', 'input.images.1.url'],
      ['SVC_GQL_003', 'input.colour'],
    ])
  })

  test('of enumerated types get an error with the valid values', () => {
    const text = 'query ($s: ProductStatus) { products(status: $s) { totalCount } }'
    const message = 'Field s has invalid format. Expected: one of DRAFT, ACTIVE, ARCHIVED'
    expect(errorsOf(text, { s: 'GONE' })).toEqual([['SVC_VAL_002', 's', message]])
  })

  test('with keys of Object.prototype behave like any other', () => {
    expect(errorsOf('query ($toString: String!) { products(after: $toString) { totalCount } }', {})).toEqual([
      ['SVC_VAL_001', 'toString', 'Field toString is required but was not provided'],
    ])
  })
})

describe('documents', () => {
  const documents = new Documents(schema, {
    ...limitsFrom({}),
    documentTokens: 200_000,
    documentCharacters: 200_000,
  })
  const refusal = (text: string, operationName: string | null = null) => {
    const checked = documents.check(text, operationName)
    return checked.kind === 'refused' ? checked.errors[0]?.message : checked.operation.kind
  }

  test('are checked once: a repeated document gives the same operation object', () => {
    const text = '{ viewer { id } }'
    expect(documents.check(text, null)).toBe(documents.check(text, null))
  })

  test('with one operation need no operation name, with several they do', () => {
    expect(refusal('query A { viewer { id } }')).toBe('query')
    expect(refusal('query A { viewer { id } }', 'A')).toBe('query')
    const two = 'query A { viewer { id } } mutation B { deleteProduct(id: "1") { success } }'
    expect(refusal(two, 'B')).toBe('mutation')
    expect(refusal(two)).toContain('several operations')
    expect(refusal(two, 'C')).toContain('no operation named "C"')
  })

  test('whose fragments spread others twice have each root field once', () => {
    const fragments = Array.from(
      { length: 40 },
      (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
    )
    const text = `{ ...F0 } ${fragments.join(' ')} fragment F40 on Query { viewer { id } }`
    const checked = documents.check(text, null)
    expect(checked.kind === 'operation' && checked.operation.rootFields).toEqual([
      { name: 'viewer', key: 'viewer' },
    ])
  })

  test('that are nested deeper than the parser’s stack are refused without a crash', () => {
    const levels = 60_000
    expect(refusal(`{ a(b: ${'['.repeat(levels)}${']'.repeat(levels)}) }`)).toBe(
      'Syntax Error: The document is nested too deeply',
    )
  })
})
