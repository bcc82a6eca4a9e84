import { buildSchema, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { complexityOf } from './complexity.ts'
import { depthOf } from './depth.ts'
import { checkDocumentLength, checkDocumentSize } from './document-size.ts'
import { limitsFrom } from './limits.ts'
import { checkVariablesSize } from './variables-size.ts'

const schema = buildSchema(`
  type Query { products(first: Int, last: Int, limit: Int): ProductConnection! product: Product node: Node nodes(ids: [ID!]!): [Node]! }
  interface Node { id: ID! }
  type ProductConnection { edges: [ProductEdge!]! totalCount: Int! }
  type ProductEdge { node: Product! }
  type Product implements Node { id: ID! parent: Product images(limit: Int): [Image!]! related(first: Int): ProductConnection! }
  type Order implements Node { id: ID! }
  type Image { url: String! }
`)
const limits = limitsFrom({})
const sizes = { assumedListSize: 5 }

function operationOf(text: string): [OperationDefinitionNode, ReadonlyMap<string, FragmentDefinitionNode>] {
  const { definitions } = parse(text)
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  if (!operation) throw new Error('no operation')
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return [operation, new Map(fragments.map((fragment) => [fragment.name.value, fragment]))]
}

const complexity = (text: string, variables = {}) =>
  complexityOf(schema, ...operationOf(text), sizes)(variables)

/** 30 fragments, each spreading the next one twice: a tree of a billion selections. */
function bomb(on: string, leaf: string): string {
  const levels = Array.from({ length: 30 }, (_, i) => `fragment F${i} on ${on} { ...F${i + 1} ...F${i + 1} }`)
  return `${levels.join('\n')} fragment F30 on ${on} { ${leaf} }`
}

describe('complexity', () => {
  test('every field counts once', () => {
    expect(complexity('{ product { id } }')).toBe(2)
  })

  test('the fields in a connection count once per item of the page, its other fields once', () => {
    expect(complexity('{ products(first: 10) { totalCount edges { node { id } } } }')).toBe(
      1 + 1 + 1 + 10 * (1 + 2),
    )
    expect(complexity('{ products(last: 7) { edges { node { id } } } }')).toBe(1 + 1 + 7 * 3)
  })

  test('a connection without a size counts as a default page, a list without a size as the assumed one', () => {
    expect(complexity('{ products { edges { node { id } } } }')).toBe(1 + 1 + 20 * 3)
    expect(complexity('{ product { images { url } } }')).toBe(1 + 1 + 5 * 2)
    expect(complexity('{ product { images(limit: 2) { url } } }')).toBe(1 + 1 + 2 * 2)
  })

  test('nested sizes are multiplied, and variables count as well', () => {
    const text =
      'query ($n: Int) { products(first: $n) { edges { node { related(first: 100) { edges { node { id } } } } } } }'
    expect(complexity(text, { n: 100 })).toBe(1 + 1 + 100 * (1 + 1 + (1 + 1 + 100 * 3)))
    expect(complexity(text, { n: 1 })).toBe(1 + 1 + (1 + 1 + (1 + 1 + 100 * 3)))
  })

  test('a negative size does not reduce the complexity', () => {
    expect(complexity('{ products(first: -1000) { edges { node { id } } } }')).toBe(62)
  })

  test('a size that is null says nothing: the next argument does, or it counts as if none were given', () => {
    const page = (size: number) => 1 + 1 + size * 3
    const products = (args: string) => `products(${args}) { edges { node { id } } }`
    expect(complexity(`{ ${products('first: null, last: 100')} }`)).toBe(page(100))
    expect(complexity(`{ ${products('first: null')} }`)).toBe(page(20))
    const text = `query ($n: Int) { ${products('first: $n, limit: 100')} }`
    expect(complexity(text, { n: null })).toBe(page(100))
    expect(complexity(text)).toBe(page(100))
    expect(complexity('query ($n: Int) { product { images(limit: $n) { url } } }')).toBe(1 + 1 + 5 * 2)
  })

  test('fragments count as often as they are spread, in linear time', () => {
    expect(complexity(`{ product { ...F0 } } ${bomb('Product', 'id')}`)).toBe(1 + 2 ** 30)
    const paged = `query ($n: Int) { products(first: $n) { ...F0 } } ${bomb('ProductConnection', 'totalCount')}`
    expect(complexity(paged, { n: 3 })).toBe(1 + 2 ** 30)
  })
})

/** So many fragments, each spreading the next one in four fields. */
function tree(levels: number, on: string, fields: (spread: string) => string): string {
  const fragments = Array.from({ length: levels }, (_, i) => {
    const inside = ['', 'a: ', 'b: ', 'c: '].map((alias) => alias + fields(`...G${i + 1}`)).join(' ')
    return `fragment G${i} on ${on} { ${inside} }`
  })
  return `${fragments.join('\n')} fragment G${levels} on ${on} { id }`
}

describe('the complexity of fragments that spread others in several fields', () => {
  test('is estimated in linear time', () => {
    const parents = tree(30, 'Product', (spread) => `parent { ${spread} }`)
    expect(complexity(`{ product { ...G0 } } ${parents}`)).toBeGreaterThan(4 ** 30)
    const related = tree(30, 'Product', (spread) => `related(first: 2) { edges { node { ${spread} } } }`)
    expect(complexity(`{ product { ...G0 } } ${related}`)).toBeGreaterThan(4 ** 30)
  })
})

test('an object of any type counts as a list of each type, unless fragments name its types', () => {
  expect(complexity('{ node { id } }')).toBe(1 + 2 * 20 + 1)
  expect(complexity('{ node { id ... on Product { id } } }')).toBe(3)
  expect(complexity('{ nodes(ids: ["a", "b"]) { ...Any } } fragment Any on Node { id }')).toBe(
    1 + 2 * 20 + 2 * 2,
  )
})

describe('depth', () => {
  test('is the longest path, through fragments, without introspection', () => {
    const text = `{ a: product { id } ...F __schema { types { fields { type { name } } } } }
      fragment F on Query { products { edges { ... on ProductEdge { node { images { url } } } } } }`
    expect(depthOf(...operationOf(text))).toBe(5)
  })

  test('is measured in linear time', () => {
    expect(depthOf(...operationOf(`{ product { ...F0 } } ${bomb('Product', 'id')}`))).toBe(2)
  })
})

describe('document size', () => {
  test('counts root fields through fragments', () => {
    const fields = Array.from({ length: limits.rootFields + 1 }, () => '__typename').join(' ')
    const refusal = checkDocumentSize(
      parse(`{ ...A } fragment A on Query { ... on Query { ${fields} } }`),
      limits,
    )
    expect(refusal).toMatchObject({
      id: 'SVC_VAL_003',
      details: { reason: 'At most 20 root fields are allowed' },
    })
    expect(checkDocumentSize(parse('{ ...A } fragment A on Query { ...A __typename }'), limits)).toBeNull()
  })

  test('counts aliases everywhere', () => {
    const aliases = Array.from({ length: limits.aliases + 1 }, (_, i) => `a${i}: id`).join(' ')
    expect(checkDocumentSize(parse(`{ product { ${aliases} } }`), limits)).toMatchObject({
      id: 'SVC_VAL_003',
      status: 400,
    })
  })

  test('counts directives everywhere', () => {
    const directed = (count: number) => `query ${'@a '.repeat(count)} { product @b { id } }`
    expect(checkDocumentSize(parse(directed(limits.directives - 1)), limits)).toBeNull()
    expect(checkDocumentSize(parse(directed(limits.directives)), limits)).toMatchObject({
      id: 'SVC_VAL_003',
      details: { reason: 'At most 50 directives are allowed' },
    })
  })

  test('measures nesting before validation, which is recursive, and ignores introspection', () => {
    const deep = (field: string, levels: number) =>
      `{ ${`${field} { `.repeat(levels)} id ${'}'.repeat(levels)} }`
    expect(checkDocumentSize(parse(deep('a', 14)), limits)).toBeNull()
    expect(checkDocumentSize(parse(deep('a', 15)), limits)?.message).toBe(
      'Query depth of 16 exceeds maximum of 15',
    )
    expect(checkDocumentSize(parse(`{ __schema ${deep('a', 30)} }`), limits)).toBeNull()
    const list = (levels: number) => `{ a(b: ${'['.repeat(levels)}${']'.repeat(levels)}) }`
    expect(checkDocumentSize(parse(list(50)), limits)).toBeNull()
    expect(checkDocumentSize(parse(list(51)), limits)).toMatchObject({ id: 'SVC_VAL_003' })
  })

  test('refuses a document that is too long, and names the maximum', () => {
    const refusal = checkDocumentLength(' '.repeat(limits.documentCharacters + 1), limits)
    expect(refusal?.message).toBe('Value 50001 is outside acceptable range 1-50000')
    expect(checkDocumentLength(' '.repeat(limits.documentCharacters), limits)).toBeNull()
  })
})

describe('variables', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: [nested(levels - 1)] })

  test('have a bounded number of values, in lists and objects too', () => {
    const ids = (count: number) => ({ input: { ids: Array(count).fill('x') } })
    // The input, its list, and the list's items.
    expect(checkVariablesSize(ids(limits.variableValues - 2), limits)).toBeNull()
    expect(checkVariablesSize(ids(limits.variableValues - 1), limits)).toMatchObject({
      id: 'SVC_VAL_003',
      details: { field: 'variables', reason: 'At most 50000 values are allowed' },
    })
  })

  test('have a bounded nesting depth', () => {
    expect(checkVariablesSize({ v: nested(25) }, limits)).toBeNull()
    expect(checkVariablesSize({ v: nested(26) }, limits)).toMatchObject({
      details: { field: 'variables', reason: 'At most 50 values inside of each other are allowed' },
    })
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown
    expect(checkVariablesSize({ v: deep }, limits)?.id).toBe('SVC_VAL_003')
  })
})

describe('limits', () => {
  test('come from the environment, and an invalid bound is refused with its name', () => {
    expect(limitsFrom({ LIMIT_DEPTH: '7' }).depth).toBe(7)
    expect(() => limitsFrom({ LIMIT_DEPTH: 'deep' })).toThrow('LIMIT_DEPTH')
    expect(() => limitsFrom({ LIMIT_BODY_BYTES: '0' })).toThrow('LIMIT_BODY_BYTES')
  })
})
