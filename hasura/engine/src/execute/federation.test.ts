import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { composeServices } from '@theguild/federation-composition'
import { buildSchema, graphqlSync, parse } from 'graphql'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEngine } from '../engine.ts'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { metadata as metadataSchema } from '../metadata/types.ts'
import { createSession } from '../session/types.ts'
import { dataOf } from './testing/bookshop.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

const sql = `
  create table product (sku bigint primary key, merchant_id int not null, title text not null);
  create table stock (
    sku bigint references product, place text, count int not null, merchant_id int not null, primary key (sku, place)
  );
  insert into product values (1, 1, 'Lamp'), (2, 1, 'Chair'), (3, 2, 'Rug'), (9007199254740993, 1, 'Giant');
  insert into stock values (1, 'North', 5, 1), (1, 'South', 7, 1), (3, 'North', 2, 2);`

const own = { merchant_id: { _eq: 'X-Hasura-Merchant-Id' } }
const enabled = { apollo_federation_config: { enable: 'v1' } }
const selectable = (columns: readonly string[], more = {}) => ({ columns, filter: own, ...more })

const metadata = metadataSchema.parse({
  version: 3,
  graphql_schema_introspection: { disabled_for_roles: ['secretive'] },
  inherited_roles: [{ role_name: 'both', role_set: ['merchant', 'keyless'] }],
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'product',
          ...enabled,
          array_relationships: [
            { name: 'stocks', using: { foreign_key_constraint_on: { table: 'stock', column: 'sku' } } },
          ],
          select_permissions: [
            { role: 'merchant', permission: selectable(['sku', 'title'], { limit: 1 }) },
            { role: 'keyless', permission: selectable(['title']) },
            { role: 'secretive', permission: selectable(['sku']) },
            { role: 'unlisted', permission: selectable(['sku'], { query_root_fields: [] }) },
          ],
        },
        {
          table: 'stock',
          configuration: {
            custom_name: 'Stock',
            column_config: { place: { custom_name: 'warehouse' } },
          },
          ...enabled,
          select_permissions: [{ role: 'merchant', permission: selectable(['sku', 'place', 'count']) }],
        },
      ],
    },
  ],
})

let project: TestProject
let executor: GraphQLExecutor
let switchedOff: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(sql)
  const { newExecutor } = await project.serve(metadata)
  executor = newExecutor({ apolloFederation: true })
  switchedOff = newExecutor()
})

afterAll(() => project.close())

const as = (role: string, merchantId = 1) =>
  createSession(role, { 'X-Hasura-Merchant-Id': String(merchantId) })
const merchant = as('merchant')

const entitiesQuery = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on product { sku title stocks(order_by: {warehouse: asc}) { warehouse } }
    ...Counted
  }
}
fragment Counted on Stock { count }`

const ask = (representations: unknown, session = merchant) =>
  executor.execute({ query: entitiesQuery, variables: { representations } }, session)
const entities = async (representations: unknown, session = merchant): Promise<unknown> =>
  (dataOf(await ask(representations, session)) as { readonly _entities: unknown })._entities

async function sdlOf(role: string): Promise<string> {
  const data = dataOf(await executor.execute({ query: '{ _service { sdl __typename } }' }, as(role)))
  const { _service: service } = data as { readonly _service: { readonly sdl: string } }
  expect(service).toMatchObject({ __typename: '_Service' })
  return service.sdl
}

const lamp = {
  __typename: 'product',
  sku: 1,
  title: 'Lamp',
  stocks: [{ warehouse: 'North' }, { warehouse: 'South' }],
}

describe('_entities', () => {
  test('answers in the order of the representations, with null for absent rows, and repeats repeated ones', async () => {
    expect(
      await entities([
        { __typename: 'Stock', sku: 1, warehouse: 'South' },
        { __typename: 'product', sku: 404 },
        { __typename: 'product', sku: '1', title: 'a field that is in no key' },
        { __typename: 'Stock', sku: 1, warehouse: 'North' },
        { __typename: 'product', sku: 2 },
        { __typename: 'product', sku: 1 },
      ]),
    ).toEqual([
      { __typename: 'Stock', count: 7 },
      null,
      lamp,
      { __typename: 'Stock', count: 5 },
      { __typename: 'product', sku: 2, title: 'Chair', stocks: [] },
      lamp,
    ])
    expect(await entities([])).toEqual([])
  })

  test('shows no row of another merchant', async () => {
    const references = [
      { __typename: 'product', sku: 1 },
      { __typename: 'product', sku: 3 },
      { __typename: 'Stock', sku: 3, warehouse: 'North' },
    ]
    expect(await entities(references)).toEqual([lamp, null, null])
    expect(await entities(references, as('merchant', 2))).toMatchObject([
      null,
      { title: 'Rug' },
      { count: 2 },
    ])
    expect(await entities(references, createSession('admin', {}))).toMatchObject([
      { sku: 1 },
      { sku: 3 },
      { count: 2 },
    ])
  })

  test('takes representations written in the document, and fragments on the union', async () => {
    const query = `query ($sku: Int) {
      _entities(representations: [{__typename: "product", sku: 2}, {__typename: "product", sku: $sku}]) {
        ... on _Entity { ... on product { title } }
      }
    }`
    for (const [sku, title] of [
      [1, 'Lamp'],
      [2, 'Chair'],
    ])
      expect(dataOf(await executor.execute({ query, variables: { sku } }, merchant))).toEqual({
        _entities: [{ title: 'Chair' }, { title }],
      })
  })

  test('finds a key that JavaScript’s numbers can not carry, as a string and as a literal', async () => {
    expect(await entities([{ __typename: 'product', sku: '9007199254740993' }])).toMatchObject([
      { title: 'Giant' },
    ])
    const query =
      '{ _entities(representations: {__typename: "product", sku: 9007199254740993}) { __typename } }'
    expect(dataOf(await executor.execute({ query }, merchant))).toEqual({
      _entities: [{ __typename: 'product' }],
    })
  })

  test.each([
    ['no object', [7], 'representations is expecting a list of objects only', '[0]'],
    ['no type', [{ sku: 1 }], '__typename key not found', '[0]'],
    ['a type that is no name', [{ __typename: 1 }], '__typename can only be a string value', '[0]'],
    [
      'another type',
      [
        { __typename: 'product', sku: 1 },
        { __typename: 'order', id: 1 },
      ],
      'order is not found in selection set or apollo federation is not enabled for the type',
      '[1]',
    ],
    ['half a key', [{ __typename: 'Stock', sku: 1 }], 'cannot find warehouse in _Any type', '[0].warehouse'],
    ['a key of null', [{ __typename: 'product', sku: null }], 'cannot find sku in _Any type', '[0].sku'],
    [
      'a key of many',
      [{ __typename: 'product', sku: [1, 2] }],
      'expected a scalar for key field "sku" of type "product"',
      '[0].sku',
    ],
    [
      'a key of another kind',
      [{ __typename: 'product', sku: 'one' }],
      'invalid input syntax for type bigint: "one"',
      '',
    ],
    [
      'too many',
      Array.from({ length: 1_001 }, () => ({ __typename: 'product', sku: 1 })),
      'expected at most 1000 representations, but found 1001',
      '',
    ],
  ])('refuses %s with its path', async (_, representations, message, at) => {
    const path = `$.selectionSet._entities.args.representations${at}`
    expect(await ask(representations)).toMatchObject({
      kind: 'errors',
      errors: [{ message, extensions: { path } }],
    })
  })

  test('refuses fields of the union itself', async () => {
    const query = '{ _entities(representations: []) { sku } }'
    expect(await executor.execute({ query }, merchant)).toMatchObject({
      errors: [{ message: `field "sku" not found in type: '_Entity'` }],
    })
  })

  test('is absent for roles that can not read a key, and from subscriptions', async () => {
    const representations = [{ __typename: 'product', sku: 1 }]
    for (const role of ['keyless', 'stranger'])
      expect(await ask(representations, as(role))).toMatchObject({
        errors: [{ message: `field "_entities" not found in type: 'query_root'` }],
      })
    const query = '{ __schema { subscriptionType { fields { name } } } }'
    const data = dataOf(await executor.execute({ query }, merchant))
    expect(JSON.stringify(data)).not.toContain('_entities')
  })

  test('is absent for types whose key an inherited role reads in some rows only', async () => {
    expect(await ask([{ __typename: 'product', sku: 1 }], as('both'))).toMatchObject({
      errors: [
        { message: expect.stringContaining('apollo federation is not enabled for the type') as string },
      ],
    })
    const sdl = await sdlOf('both')
    expect(sdl).toContain('type product {')
    expect(sdl).toContain('type Stock @key(fields: "sku warehouse") {')
  })

  test('reaches rows that have no root field of their own', async () => {
    const query =
      '{ _entities(representations: [{__typename: "product", sku: 1}]) { ... on product { sku } } }'
    expect(dataOf(await executor.execute({ query }, as('unlisted')))).toEqual({ _entities: [{ sku: 1 }] })
    expect(await sdlOf('unlisted')).toContain('type product @key(fields: "sku")')
  })
})

describe('_service', () => {
  test("is the role's schema with its keys and without what federation adds", async () => {
    const sdl = await sdlOf('merchant')
    expect(sdl).toContain('type product @key(fields: "sku") {')
    expect(sdl).toContain('type Stock @key(fields: "sku warehouse") {')
    expect(sdl).not.toMatch(/_Any|_Entity|_entities|_Service|_service|__Schema/)
    expect(sdl).not.toContain('merchant_id')
    expect(await sdlOf('admin')).toContain('merchant_id')
    expect(await sdlOf('keyless')).not.toContain('@key')
  })

  test.each(['admin', 'merchant', 'keyless', 'unlisted', 'stranger'])(
    "composes, as %s sees it, with a subgraph that extends the engine's types",
    async (role) => {
      const engine = await sdlOf(role)
      const reviews = engine.includes('type product @key')
        ? `extend type product @key(fields: "sku") { sku: bigint! @external reviews: [String!]! }
           scalar bigint`
        : ''
      const { errors, supergraphSdl } = composeServices([
        { name: 'engine', url: 'http://engine.example', typeDefs: parse(engine) },
        {
          name: 'reviews',
          url: 'http://reviews.example',
          typeDefs: parse(`type Query { version: String! } ${reviews}`),
        },
      ])
      expect(errors ?? []).toEqual([])
      const supergraph = buildSchema(supergraphSdl ?? '', { assumeValidSDL: true })
      if (role === 'merchant') {
        expect(Object.keys(supergraph.getQueryType()?.getFields() ?? {})).toContain('product_by_pk')
        expect(supergraphSdl).toMatch(/reviews: \[String!\]!/)
      }
    },
  )

  test('is absent for roles without introspection, and for all roles unless federation is enabled', async () => {
    const query = '{ _service { sdl } }'
    const refused = { errors: [{ message: `field "_service" not found in type: 'query_root'` }] }
    expect(await executor.execute({ query }, as('secretive'))).toMatchObject(refused)
    expect(await switchedOff.execute({ query }, merchant)).toMatchObject(refused)
    const types = '{ __schema { types { name } queryType { fields { name } } } }'
    const shown = JSON.stringify(dataOf(await switchedOff.execute({ query: types }, merchant)))
    expect(shown).not.toMatch(/_Any|_Entity|_entities|_Service|_service/)
    expect(JSON.stringify(dataOf(await executor.execute({ query: types }, merchant)))).toMatch(/"_Entity"/)
  })
})

test('a remote schema that is a subgraph itself keeps its names, and with a prefix leaves them to the engine', async () => {
  const remote = buildSchema('type Query { _service: _Service! } type _Service { sdl: String! }')
  const rootValue = { _service: { sdl: 'of the remote' } }
  const server = createServer((incoming, answer) => {
    void (async () => {
      const { query } = (await json(incoming)) as { readonly query: string }
      answer.end(JSON.stringify(graphqlSync({ schema: remote, source: query, rootValue })))
    })()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { url: databaseUrl, drop: dropDatabase } = await createTestDatabase()
  const engine = await startEngine({
    databaseUrl,
    adminSecret: 'secret',
    port: 0,
    poolSize: 2,
    apolloFederation: true,
    logger: pino({ level: 'silent' }),
  })
  const command = async (type: string, customization: object = {}): Promise<void> => {
    const definition = { url: `http://127.0.0.1:${port}`, customization }
    const answer = await fetch(`${engine.url ?? ''}/v1/metadata`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': 'secret' },
      body: JSON.stringify({ type, args: { name: 'subgraph', definition } }),
    })
    expect(answer.status).toBe(200)
  }
  const askAdmin = async (query: string) =>
    dataOf(await engine.execute({ query }, createSession('admin', {})))
  try {
    await command('add_remote_schema')
    expect(await askAdmin('{ _service { sdl } }')).toEqual({ _service: { sdl: 'of the remote' } })
    await command('update_remote_schema', {
      root_fields_namespace: 'other',
      type_names: { prefix: 'other_', mapping: {} },
    })
    expect(await askAdmin('{ other { _service { sdl } } }')).toEqual({
      other: { _service: { sdl: 'of the remote' } },
    })
    expect(JSON.stringify(await askAdmin('{ _service { sdl } }'))).toContain('type other__Service')
  } finally {
    await engine.stop()
    server.close()
    await dropDatabase()
  }
})
