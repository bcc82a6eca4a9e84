import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin, type Bookshop, dataOf, merchant, openBookshop } from './testing/bookshop.ts'

let shop: Bookshop
beforeAll(async () => {
  shop = await openBookshop()
})
afterAll(() => shop.close())

const execute = (query: string, session = merchant(1), variables: Readonly<Record<string, unknown>> = {}) =>
  shop.executor.execute({ query, variables }, session)
const ask = async (...parameters: Parameters<typeof execute>) => dataOf(await execute(...parameters))

describe('introspection', () => {
  test('by the query of graphql-js answers the role’s whole schema, like any other query', async () => {
    const standard = (await ask(getIntrospectionQuery())) as IntrospectionQuery
    expect(buildClientSchema(standard).getType('book')).toBeDefined()
    const renamed = getIntrospectionQuery().replace('types {', 'all: types {')
    const { __schema: other } = (await ask(renamed, admin)) as { __schema: object }
    expect(Object.keys(other)).toContain('all')
    const small = '{ __schema { queryType { name } types { name } } }'
    expect(await ask(small)).toEqual({
      __schema: {
        queryType: { name: 'query_root' },
        types: standard.__schema.types.map(({ name }) => ({ name })),
      },
    })
  })

  test('that multiplies the schema is refused, by the sum over all fields, but not for admin', async () => {
    const dump = '__schema { types { name fields { name type { name kind } } } }'
    const one = `{ ${dump} }`
    expect((await execute(one)).kind).toBe('data')
    const aliases = Array.from({ length: 60 }, (_, index) => `a${index}: ${dump}`).join(' ')
    expect(await execute(`{ ${aliases} }`)).toMatchObject({
      kind: 'errors',
      errors: [{ message: expect.stringContaining('at most 50000 values') as string }],
    })
    expect((await execute(`{ ${aliases} }`, admin)).kind).toBe('data')
  })
})

describe.each(['__proto__', 'constructor', 'toString', 'toJSON'])('an alias called %s', (name) => {
  test.each([
    '{ NAME: book(limit: 2, order_by: {id: asc}) { NAME: id author { NAME: id } reviews { NAME: id } } }',
    '{ book_aggregate { NAME: aggregate { NAME: count } nodes { NAME: __typename } } NAME: __typename }',
    '{ NAME: __schema { NAME: queryType { NAME: name } } n: __type(name: "book") { NAME: kind } }',
    'mutation { NAME: update_book(where: {id: {_eq: 1}}, _set: {title: "First"}) { NAME: affected_rows returning { NAME: id } } NAME2: __typename }',
  ])('works in %s', async (document) => {
    const named = (alias: string) => document.replaceAll('NAME', alias)
    const expected = await execute(named('plain'), admin)
    if (expected.kind === 'errors') throw new Error(JSON.stringify(expected.errors))
    const answer = await execute(named(name), admin)
    expect(answer).toMatchObject({ kind: 'data', json: expected.json.replaceAll('plain', name) })
  })

  test('works as a variable of introspection and of a directive', async () => {
    const given = JSON.parse(`{"${name}":"book"}`) as Record<string, unknown>
    expect(await ask(`query ($${name}: String!) { __type(name: $${name}) { name } }`, admin, given)).toEqual({
      __type: { name: 'book' },
    })
    const flag = JSON.parse(`{"${name}":false}`) as Record<string, unknown>
    expect(
      await ask(`query ($${name}: Boolean!) { book @include(if: $${name}) { id } __typename }`, admin, flag),
    ).toEqual({ __typename: 'query_root' })
  })
})
