import { type IntrospectionQuery, buildClientSchema, getIntrospectionQuery, validateSchema } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLResult } from '../graphql-request.ts'
import { batchParameters } from '../live/batch.ts'
import type { GraphQLApi } from '../schema/role-schema.ts'
import { type Session, createSession } from '../session/types.ts'
import { admin, dataOf } from './testing/bookshop.ts'
import { type ServedMetadata, type TestProject, openProject } from './testing/open-project.ts'

const sql = `
  create table author (id int primary key, name text not null unique);
  insert into author values (1, 'Ann'), (2, 'Bo');
  create table secret (id int primary key);
  create function named(text text) returns setof author stable language sql
    as $$ select * from author where name = text $$;
`

const readers = { role: 'reader', permission: { columns: ['id', 'name'], filter: {} } }

const metadata = (customization: object) => ({
  sources: [
    {
      name: 'default',
      tables: [{ table: 'author', select_permissions: [readers] }, { table: 'secret' }],
      functions: [{ function: 'named' }],
      customization,
    },
  ],
})

let project: TestProject
let served: ServedMetadata
beforeAll(async () => {
  project = await openProject(sql)
  served = await project.serve(metadata({ root_fields: { namespace: 'shop' } }))
})
afterAll(() => project.close())

const execute = (
  query: string,
  session: Session = admin,
  api: GraphQLApi = 'graphql',
): Promise<GraphQLResult> => served.newExecutor().execute({ query, api }, session)
const ask = async (query: string, session?: Session): Promise<unknown> =>
  dataOf(await execute(query, session))

test('the root fields of a source are below its namespace, with aliases, fragments and merged selections', async () => {
  const query = `
    query {
      first: __typename
      shop { ...names name: __typename }
      shop { found: named(args: {text: "Bo"}) { id } author(order_by: {id: asc}) { name } }
      again: shop { author_by_pk(id: 2) { name } }
    }
    fragment names on shop_query { author(order_by: {id: asc}) { id } }`
  // The keys keep the document's order.
  expect(JSON.stringify(await ask(query))).toBe(
    JSON.stringify({
      first: 'query_root',
      shop: {
        author: [
          { id: 1, name: 'Ann' },
          { id: 2, name: 'Bo' },
        ],
        name: 'shop_query',
        found: [{ id: 2 }],
      },
      again: { author_by_pk: { name: 'Bo' } },
    }),
  )
})

test('a namespace whose fields are all left out is left out; its fields are not at the root', async () => {
  expect(await ask('{ __typename shop { author @skip(if: true) { id } } }')).toEqual({
    __typename: 'query_root',
  })
  expect(await execute('{ author { id } }')).toMatchObject({
    errors: [
      {
        message: 'field "author" not found in type: \'query_root\'',
        extensions: { path: '$.selectionSet.author' },
      },
    ],
  })
  expect(await execute('{ shop { nothing } }')).toMatchObject({
    errors: [
      {
        message: 'field "nothing" not found in type: \'shop_query\'',
        extensions: { path: '$.selectionSet.shop.selectionSet.nothing' },
      },
    ],
  })
})

test('mutations in and beside a namespace are one transaction', async () => {
  const insert = (id: number, name: string) =>
    `insert_author_one(object: {id: ${id}, name: "${name}"}) { id }`
  expect(await ask(`mutation { shop { __typename ${insert(3, 'Cy')} } }`)).toEqual({
    shop: { __typename: 'shop_mutation_frontend', insert_author_one: { id: 3 } },
  })
  expect(
    await execute(`mutation { a: shop { ${insert(4, 'Di')} } b: shop { ${insert(5, 'Cy')} } }`),
  ).toMatchObject({ errors: [{ extensions: { code: 'constraint-violation' } }] })
  expect(await ask('mutation { shop { delete_author(where: {id: {_gt: 2}}) { affected_rows } } }')).toEqual({
    shop: { delete_author: { affected_rows: 1 } },
  })
})

test('a role has the namespace only with fields in it', async () => {
  const reader = createSession('reader', {})
  expect(await ask('{ shop { author_by_pk(id: 1) { name } } }', reader)).toEqual({
    shop: { author_by_pk: { name: 'Ann' } },
  })
  expect(await execute('mutation { shop { __typename } }', reader)).toMatchObject({
    errors: [{ message: 'no mutations exist' }],
  })
  expect(await execute('{ shop { __typename } }', createSession('stranger', {}))).toMatchObject({
    errors: [{ message: `field "shop" not found in type: 'query_root'` }],
  })
})

/** The first answer of a subscription. */
async function subscribed(query: string): Promise<unknown> {
  const { statement, values } = served.newExecutor().prepareSubscription({ query }, admin)
  const batch = batchParameters(statement.parameters.length, [{ values }])
  const { rows } = await project.pool.query<{ root: unknown }>(statement.text, [...batch])
  return rows.map(({ root }) => root)
}

test('subscriptions, streams among them, answer below the namespace, and select one field of it', async () => {
  expect(await subscribed('subscription { mine: shop { author(where: {id: {_eq: 1}}) { name } } }')).toEqual([
    { mine: { author: [{ name: 'Ann' }] } },
  ])
  expect(
    await subscribed(
      'subscription { shop { author_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { name } } }',
    ),
  ).toEqual([{ shop: { author_stream: [{ name: 'Bo' }] } }])
  const two = 'subscription { shop { author { id } other: author { name } } }'
  expect(() => served.newExecutor().prepareSubscription({ query: two }, admin)).toThrow(
    'subscriptions must select one top level field',
  )
  expect(
    await subscribed(
      `subscription @_multiple_top_level_fields {
        shop { one: author_by_pk(id: 1) { name } two: author_by_pk(id: 2) { name } }
      }`,
    ),
  ).toEqual([{ shop: { one: { name: 'Ann' }, two: { name: 'Bo' } } }])
})

test("Relay's connections are below the namespace, and node is not", async () => {
  const result = dataOf(
    await execute('{ shop { author_connection(first: 1) { edges { node { id } } } } }', admin, 'relay'),
  )
  expect(result).toMatchObject({ shop: { author_connection: { edges: [{ node: {} }] } } })
  const id = Buffer.from('[1, "public", "author", 1]').toString('base64')
  const node = await execute(`{ node(id: "${id}") { ... on author { name } } }`, admin, 'relay')
  expect(dataOf(node)).toEqual({ node: { name: 'Ann' } })
})

test.each<[object, string]>([
  [{ root_fields: { namespace: 'my_shop', prefix: 'x_' }, type_names: { prefix: 'T_' } }, 'T_my_shop_query'],
  [{ root_fields: { namespace: 'my_shop' }, naming_convention: 'graphql-default' }, 'MyShopQuery'],
])('with %j the type is called %s', async (customization, name) => {
  const { newExecutor } = await project.serve(metadata(customization))
  const result = await newExecutor().execute({ query: getIntrospectionQuery() }, admin)
  const schema = buildClientSchema(dataOf(result) as IntrospectionQuery)
  expect(validateSchema(schema)).toEqual([])
  expect(String(schema.getQueryType()?.getFields()['my_shop']?.type)).toBe(`${name}!`)
})
