import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Engine } from '../engine.ts'
import type { EventSettings } from '../events/engine-events.ts'
import { type DeliveryWorld, openDeliveryWorld } from '../events/testing/delivery-world.ts'
import { metadata as metadataSchema } from '../metadata/types.ts'
import { type Session, adminSession, createSession } from '../session/types.ts'

let world: DeliveryWorld

beforeEach(async () => {
  world = await openDeliveryWorld()
  await world.pool.query(`create table product (id int primary key, owner text not null, name text not null);
                    insert into product values (1, 'a', 'Tea'), (2, 'b', 'Pan')`)
})

afterEach(() => world.close())

const metadata = metadataSchema.parse({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: 'product',
          select_permissions: [
            { role: 'buyer', permission: { columns: '*', filter: { owner: 'X-Hasura-User-Id' } } },
          ],
        },
      ],
    },
  ],
  custom_types: {
    objects: [
      {
        name: 'Order',
        fields: [
          { name: 'total', type: 'Int!' },
          { name: 'productId', type: 'Int' },
          { name: 'lines', type: '[OrderLine!]' },
        ],
        relationships: [
          { name: 'product', type: 'object', remote_table: 'product', field_mapping: { productId: 'id' } },
          { name: 'products', type: 'array', remote_table: 'product', field_mapping: { productId: 'id' } },
        ],
      },
      { name: 'OrderLine', fields: [{ name: 'quantity', type: 'Int!' }] },
    ],
  },
  actions: [
    {
      name: 'order',
      definition: {
        handler: '{{HOOKS}}/order',
        kind: 'asynchronous',
        arguments: [{ name: 'productId', type: 'Int!' }],
        output_type: 'Order',
        forward_client_headers: true,
        ignored_client_headers: ['X-Private'],
        timeout: 1,
      },
      permissions: [{ role: 'buyer' }],
    },
    {
      name: 'tell',
      definition: {
        handler: '{{HOOKS}}/tell',
        kind: 'asynchronous',
        arguments: [{ name: 'what', type: 'String' }],
        output_type: 'Order',
      },
    },
  ],
})

/** Starts an engine that applies the metadata, or finds it in the database. */
async function start(events: Partial<EventSettings> = {}): Promise<Engine> {
  const engine = await world.start({ events, liveQueries: { intervalMs: 30, batchSize: 100 } })
  expect(await engine.replaceMetadata(metadata)).toEqual([])
  return engine
}

const buyer = (user: string): Session => createSession('buyer', { 'X-Hasura-User-Id': user })

async function data(engine: Engine, query: string, session: Session, headers = {}): Promise<unknown> {
  const result = await engine.execute({ query }, session, { clientHeaders: headers })
  if (result.kind === 'errors') throw new Error(JSON.stringify(result.errors))
  return JSON.parse(result.json) as unknown
}

async function place(engine: Engine, session: Session, headers = {}): Promise<string> {
  const answer = (await data(engine, 'mutation { order(productId: 1) }', session, headers)) as {
    order: string
  }
  return answer.order
}

async function resultOf(engine: Engine, id: string, session: Session): Promise<unknown> {
  const query = `{ order(id: "${id}") { __typename id errors output
    { total product { name } products { name } lines { quantity } } } }`
  return ((await data(engine, query, session)) as { order: unknown }).order
}

const answered = { total: 3, productId: 1, lines: [{ quantity: 2 }] }

test('an asynchronous action answers with an id, by which its result can be read', async () => {
  world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered), delayMs: 150 })
  const engine = await start()
  const id = await place(engine, buyer('a'), { 'x-trace': '1', 'x-private': '2' })
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(await resultOf(engine, id, buyer('a'))).toEqual({
    __typename: 'order',
    id,
    errors: null,
    output: null,
  })
  const complete = {
    __typename: 'order',
    id,
    errors: null,
    output: { total: 3, product: { name: 'Tea' }, products: [{ name: 'Tea' }], lines: [{ quantity: 2 }] },
  }
  await expect.poll(() => resultOf(engine, id, buyer('a'))).toEqual(complete)
  expect(await resultOf(engine, id, adminSession)).toEqual(complete)
  expect(world.receiver.calls).toHaveLength(1)
  expect(world.receiver.calls[0]?.headers).toMatchObject({ 'x-trace': '1' })
  expect(world.receiver.calls[0]?.headers).not.toHaveProperty('x-private')
  expect(world.receiver.calls[0]?.body).toEqual({
    action: { name: 'order' },
    input: { productId: 1 },
    session_variables: { 'x-hasura-role': 'buyer', 'x-hasura-user-id': 'a' },
    request_query: null,
  })
})

test('only admin and the session that started it can read a result', async () => {
  world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered) })
  const engine = await start()
  const id = await place(engine, buyer('a'))
  await expect.poll(() => resultOf(engine, id, adminSession)).toMatchObject({ output: { total: 3 } })
  expect(await resultOf(engine, id, buyer('b'))).toBeNull()
  expect(await resultOf(engine, '00000000-0000-4000-8000-000000000000', buyer('a'))).toBeNull()
  const refused = await engine.execute({ query: '{ order(id: "x\' or true --") { id } }' }, buyer('a'))
  expect(refused).toMatchObject({ errors: [{ extensions: { path: '$.selectionSet.order.args.id' } }] })
})

test.each([
  [
    { status: 400, body: '{"message":"no stock","code":"stock","extensions":{"left":0}}' },
    { error: 'no stock', code: 'stock', path: '$', extensions: { left: 0 } },
  ],
  [
    { status: 500, body: '{}' },
    { error: 'internal error', code: 'unexpected' },
  ],
  [{ status: 200, body: '{"total":null}' }, { error: 'expecting not null value for field "total"' }],
  [{ status: 200, body: '[]' }, { error: 'got array for the action webhook response, expecting Order' }],
  [{ status: 200, body: '{"total":1}', delayMs: 3000 }, { error: 'http exception when calling webhook' }],
])('a mistake of the handler is the result: %j', async (answer, error) => {
  world.receiver.answer = () => answer
  const engine = await start()
  const id = await place(engine, buyer('a'))
  await expect
    .poll(() => resultOf(engine, id, buyer('a')), { timeout: 5000 })
    .toMatchObject({ errors: error, output: null })
  expect(world.receiver.calls).toHaveLength(1)
})

test.each([
  ['an answer with a lone surrogate', { status: 200, body: String.raw`{"total":1,"note":"\ud83d"}` }],
  ['an answer with U+0000', { status: 200, body: String.raw`{"total":1,"note":"\u0000"}` }],
  ['a refusal with U+0000', { status: 400, body: String.raw`{"message":"\u0000"}` }],
])('%s, which Postgres can’t store, is a failure, and the handler is called once', async (_what, answer) => {
  world.receiver.answer = () => answer
  const engine = await start()
  const id = await place(engine, buyer('a'))
  await expect
    .poll(() => resultOf(engine, id, buyer('a')))
    .toMatchObject({
      errors: { code: 'unexpected', error: expect.stringContaining('can not be stored') as string },
      output: null,
    })
  expect(world.receiver.calls).toHaveLength(1)
})

test('an input that Postgres can’t store is refused', async () => {
  const engine = await start({ delivery: 'when-asked' })
  const query = String.raw`mutation { tell(what: "\u0000") }`
  expect(await engine.execute({ query }, adminSession)).toMatchObject({
    errors: [{ extensions: { code: 'data-exception' } }],
  })
})

test.each([
  ['dropped', 'drop_action', { name: 'order', clear_data: false }, 'error', 0],
  [
    'made synchronous',
    'update_action',
    { name: 'order', definition: { ...metadata.actions?.[0]?.definition, kind: 'synchronous' } },
    'completed',
    2,
  ],
])(
  'invocations get a result after the last asynchronous action was %s',
  async (_how, type, args, status, calls) => {
    world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered) })
    const engine = await start({ delivery: 'when-asked' })
    await place(engine, buyer('a'))
    // As a killed engine leaves one.
    await world.pool.query(`update hdb_catalog.hdb_action_log set status = 'processing'`)
    await place(engine, buyer('a'))
    await engine.replaceMetadata({
      ...metadata,
      actions: metadata.actions?.filter(({ name }) => name === 'order'),
    })
    expect(await world.command(type, args)).toEqual({ message: 'success' })
    engine.startDelivery()
    const statuses = async () =>
      (await world.pool.query('select status from hdb_catalog.hdb_action_log')).rows as readonly unknown[]
    await expect.poll(statuses, { timeout: 5000 }).toEqual([{ status }, { status }])
    expect(world.receiver.calls).toHaveLength(calls)
  },
)

test('a subscription sends the result when it is there', async () => {
  const engine = await start({ delivery: 'when-asked' })
  world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered) })
  const id = await place(engine, buyer('a'))
  const query = `subscription ($id: uuid!) { order(id: $id) { output { total product { name } } } }`
  const seen: unknown[] = []
  for await (const result of engine.subscribe({ query, variables: { id } }, buyer('a'))) {
    seen.push(result.kind === 'data' ? JSON.parse(result.json) : result.errors)
    if (seen.length === 1) engine.startDelivery()
    else break
  }
  expect(seen).toEqual([
    { order: { output: null } },
    { order: { output: { total: 3, product: { name: 'Tea' } } } },
  ])
})

test('several engines call each handler once, and never exceed their concurrency', async () => {
  world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered), delayMs: 20 })
  const [one] = [await start({ concurrency: 3 }), await start({ concurrency: 3 })]
  const ids = await Promise.all(Array.from({ length: 30 }, () => place(one, buyer('a'))))
  for (const id of ids)
    await expect
      .poll(() => resultOf(one, id, buyer('a')), { timeout: 5000 })
      .toMatchObject({ errors: null, output: { total: 3 } })
  expect(world.receiver.calls).toHaveLength(30)
  expect(world.receiver.mostOpen).toBeLessThanOrEqual(6)
})

test('invocations that a killed engine had locked are run by the next engine', async () => {
  const engine = await start({ delivery: 'when-asked' })
  const id = await place(engine, buyer('a'))
  await world.pool.query(`update hdb_catalog.hdb_action_log set status = 'processing'`)
  world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered) })
  engine.startDelivery()
  await expect.poll(() => resultOf(engine, id, buyer('a'))).toMatchObject({ output: { total: 3 } })
})

test('a call that a stopping engine cuts off is made again by the next engine', async () => {
  world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered), delayMs: 800 })
  const engine = await start({ graceMs: 10 })
  const id = await place(engine, buyer('a'))
  await world.receiver.received(1)
  await world.stop(engine)
  world.receiver.answer = () => ({ status: 200, body: JSON.stringify(answered) })
  const next = await start()
  await expect
    .poll(() => resultOf(next, id, buyer('a')))
    .toMatchObject({ errors: null, output: { total: 3 } })
  expect(world.receiver.calls).toHaveLength(2)
})

test('dropping an action deletes its log, unless the command keeps it', async () => {
  const engine = await start({ delivery: 'when-asked' })
  const drop = async (args: unknown) => {
    expect(await world.command('drop_action', args)).toEqual({ message: 'success' })
    const { rows } = await world.pool.query('select count(*)::int as count from hdb_catalog.hdb_action_log')
    return rows as readonly unknown[]
  }
  await place(engine, buyer('a'))
  expect(await drop({ name: 'order', clear_data: false })).toEqual([{ count: 1 }])
  await engine.replaceMetadata(metadata)
  expect(await drop({ name: 'order' })).toEqual([{ count: 0 }])
})
