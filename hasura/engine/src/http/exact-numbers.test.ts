import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { adminSession } from '../session/types.ts'
import { type ServedDatabase, serveDatabase } from './testing/serve-database.ts'

/** A large number is a text in the tests, because theirs would be rounded, too. */
const one = '9007199254740993'
const other = '9007199254740992'

let served: ServedDatabase
const received: string[] = []
const handler = createServer((request, response) => {
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => received.push(chunk))
  request.on('end', () => response.end(`{"ok":true,"id":${one},"more":[{"deep":${one}}]}`))
})

beforeAll(async () => {
  served = await serveDatabase(
    'create table item (id int8 primary key, price numeric, weight float8, data jsonb, small int)',
  )
  await served.metadata('pg_track_table', { table: 'item' })
  await new Promise<void>((resolve) => handler.listen(0, '127.0.0.1', resolve))
  const address = handler.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await served.metadata('set_custom_types', {
    scalars: [{ name: 'Big' }],
    objects: [
      {
        name: 'Done',
        fields: [
          { name: 'ok', type: 'Boolean!' },
          { name: 'id', type: 'Big' },
          { name: 'more', type: 'Big' },
        ],
        relationships: [{ name: 'item', type: 'object', remote_table: 'item', field_mapping: { id: 'id' } }],
      },
    ],
  })
  for (const [name, kind] of [
    ['note', 'synchronous'],
    ['noteLater', 'asynchronous'],
  ])
    await served.metadata('create_action', {
      name,
      definition: {
        kind,
        handler: `http://127.0.0.1:${port}`,
        arguments: [{ name: 'at', type: 'Big' }],
        output_type: 'Done',
      },
    })
})

afterAll(async () => {
  await served.close()
  handler.close()
})

beforeEach(async () => {
  await served.runSql(`delete from item; insert into item (id, small) values (${one}, 1), (${other}, 2)`)
})

/** Sends a request whose variables are JSON text. */
const ask = async (query: string, variables: string, path = '/v1/graphql') =>
  (await served.ask('POST', path, `{"query":${JSON.stringify(query)},"variables":${variables}}`)).body

/** The data as JSON text. */
async function dataText(query: string): Promise<string> {
  const result = await served.engine.execute({ query }, adminSession)
  return result.kind === 'data' ? result.json : JSON.stringify(result.errors)
}

/** A column's texts in the database, in the order of `small`. */
async function texts(column: string): Promise<unknown> {
  const { body } = await served.runSql(
    `select coalesce(${column}::text, '-') from item order by small nulls last`,
  )
  return (body as { readonly result: readonly (readonly string[])[] }).result.slice(1).flat()
}

test('a variable beyond 2^53 names its own row, not a neighbour, in updates, deletions and filters', async () => {
  const update =
    'mutation ($i: bigint!) { update_item_by_pk(pk_columns: {id: $i}, _set: {small: 7}) { small } }'
  expect(await ask(update, `{"i":${one}}`)).toEqual({ data: { update_item_by_pk: { small: 7 } } })
  expect(await texts('id')).toEqual([other, one])
  const filter = 'query ($l: [bigint!]) { item(where: {id: {_in: $l}}) { small } }'
  expect(await ask(filter, `{"l":[${one}]}`)).toEqual({ data: { item: [{ small: 7 }] } })
  const whole = 'query ($w: item_bool_exp) { item(where: $w) { small } }'
  expect(await ask(whole, `{"w":{"id":{"_eq":${one}.0}}}`)).toEqual({ data: { item: [{ small: 7 }] } })
  const deletion = 'mutation ($i: bigint!) { delete_item_by_pk(id: $i) { small } }'
  expect(await ask(deletion, `{"i":${one}}`)).toEqual({ data: { delete_item_by_pk: { small: 7 } } })
  expect(await texts('id')).toEqual([other])
})

test('a default in the document does, too', async () => {
  const query = `query ($i: bigint! = ${one}) { item_by_pk(id: $i) { small } }`
  expect(await ask(query, '{}')).toEqual({ data: { item_by_pk: { small: 1 } } })
})

test('inserted numbers keep their digits: bigint, numeric, and those in jsonb from variables and from the document', async () => {
  const insert = `mutation ($rows: [item_insert_input!]!, $n: jsonb) { insert_item(objects: $rows) { affected_rows }
    insert_item_one(object: {id: 4, small: 4, data: {a: [${one}, 0.12345678901234567890], b: $n}}) { small }
    last: insert_item_one(object: {id: 5, small: 5, data: ${one}}) { small } }`
  const price = '12345678901.23456789012345678901'
  await ask(
    insert,
    `{"rows":[{"id":9223372036854775807,"price":${price},"data":[${one}],"small":3}],"n":${one}}`,
  )
  expect(await texts('id')).toEqual([one, other, '9223372036854775807', '4', '5'])
  expect(await texts('price')).toContain(price)
  expect(await texts('data')).toEqual([
    '-',
    '-',
    `[${one}]`,
    `{"a": [${one}, 0.12345678901234567890], "b": ${one}}`,
    one,
  ])
})

test('a number that its column can’t hold is refused as before', async () => {
  const query = 'query ($i: bigint, $s: Int) { item(where: {id: {_eq: $i}, small: {_eq: $s}}) { id } }'
  const outOfBounds = { errors: [{ message: expect.stringContaining('lies outside the bounds') as string }] }
  expect(await ask(query, '{"i":9223372036854775808}')).toMatchObject(outOfBounds)
  expect(await ask(query, `{"i":${one}.5}`)).toMatchObject(outOfBounds)
  expect(await ask(query, `{"s":${one}}`)).toMatchObject(outOfBounds)
  const text = 'query ($s: String) { item(where: {data: {_has_key: $s}}) { id } }'
  expect(await ask(text, `{"s":${one}}`)).toMatchObject({
    errors: [{ message: 'parsing Text failed, expected String, but encountered Number' }],
  })
})

test('a REST endpoint reads its body in the same way', async () => {
  const query = 'query byId($i: bigint!) { item_by_pk(id: $i) { small } }'
  await served.metadata('create_query_collection', {
    name: 'items',
    definition: { queries: [{ name: 'byId', query }] },
  })
  await served.metadata('create_rest_endpoint', {
    name: 'byId',
    url: 'item',
    methods: ['POST'],
    definition: { query: { collection_name: 'items', query_name: 'byId' } },
  })
  const { body } = await served.ask('POST', '/api/rest/item', `{"i":${one}}`)
  expect(body).toEqual({ item_by_pk: { small: 1 } })
})

test('a node id of Relay names its own row', async () => {
  const id = Buffer.from(`[1, "public", "item", ${one}]`).toString('base64')
  const query = 'query ($id: ID!) { node(id: $id) { ... on item { small } } }'
  expect(await ask(query, JSON.stringify({ id }), '/v1beta1/relay')).toEqual({ data: { node: { small: 1 } } })
})

test('an action’s handler receives the digits', async () => {
  await ask('query ($n: Big) { note(at: $n) { ok } }', `{"n":${one}}`)
  await ask('mutation ($n: Big) { note(at: $n) { ok } }', `{"n":{"deep":[${one}]}}`)
  expect(received.join()).toContain(`"input":{"at":{"deep":[${one}]}}`)
})

const answer = `{"id":${one},"more":[{"deep":${one}}],"item":{"small":1}}`

test('an action’s answer keeps its digits, and its relationships name their own rows', async () => {
  const query = 'mutation { note { id more item { small } } }'
  expect(await dataText(query)).toBe(`{"note":${answer}}`)
})

test('an asynchronous action keeps the digits of its input and of its answer', async () => {
  received.length = 0
  const { data } = (await ask('mutation ($n: Big) { noteLater(at: $n) }', `{"n":[${one}]}`)) as {
    readonly data: { readonly noteLater: string }
  }
  const query = `{ noteLater(id: "${data.noteLater}") { output { id more item { small } } } }`
  await expect.poll(() => dataText(query), { timeout: 5000 }).toBe(`{"noteLater":{"output":${answer}}}`)
  expect(received.join()).toContain(`"input":{"at":[${one}]}`)
})

test.each(['/v1/query', '/v2/query'])('commands for rows at %s name their own row', async (path) => {
  const table = 'item'
  const run = async (type: string, args: string) =>
    (await served.ask('POST', path, `{"type":"${type}","args":{"table":"${table}",${args}}}`)).body
  await run('insert', `"objects":[{"id":9223372036854775807,"small":3,"data":[${one}]}]`)
  await run('update', `"where":{"id":${one}},"$set":{"small":9}`)
  await run('delete', `"where":{"$and":[{"id":{"$eq":${other}}}]}`)
  expect(await texts('id')).toEqual(['9223372036854775807', one])
  expect(await texts('data')).toEqual([`[${one}]`, '-'])
})

test('metadata that holds a large number stays metadata', async () => {
  const permission = `{"columns":"*","filter":{"id":{"_eq":${one}}}}`
  const { status } = await served.ask(
    'POST',
    '/v1/query',
    `{"type":"create_select_permission","args":{"table":"item","role":"reader","permission":${permission}}}`,
  )
  expect(status).toBe(200)
  const { body } = await served.metadata('export_metadata')
  expect(JSON.stringify(body)).toContain('"_eq":900719925474099')
})
