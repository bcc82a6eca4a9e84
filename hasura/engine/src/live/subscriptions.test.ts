import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineOptions } from '../engine-options.ts'
import { type Engine, startEngine } from '../engine.ts'
import type { GraphQLResult } from '../graphql-request.ts'
import type { Metadata } from '../metadata/types.ts'
import { type Session, adminSession, createSession } from '../session/types.ts'

let database: TestDatabase
let client: pg.Client
let engine: Engine
let stopping: AbortController

const intervalMs = 60

const shopMetadata = (columns: readonly string[]): Metadata => ({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: { schema: 'public', name: 'product' },
          select_permissions: [
            {
              role: 'merchant',
              permission: { columns: [...columns], filter: { merchant_id: 'X-Hasura-Merchant-Id' } },
            },
          ],
        },
      ],
    },
  ],
})

async function start(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const refetch = { intervalMs, batchSize: 100 }
  const started = await startEngine({
    databaseUrl: database.url,
    logger: pino({ level: 'silent' }),
    liveQueries: refetch,
    streamingQueries: refetch,
    ...options,
  })
  await started.replaceMetadata(shopMetadata(['id', 'title', 'stock']))
  return started
}

beforeEach(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`
    create table product (
      merchant_id int not null,
      id int not null,
      title text not null,
      stock bigint not null default 0,
      primary key (merchant_id, id)
    );
    insert into product values (1, 1, 'Cup', 5), (1, 2, 'Pan', 7), (2, 1, 'Hat', 9);
  `)
  engine = await start()
  stopping = new AbortController()
})

afterEach(async () => {
  stopping.abort()
  await engine.stop()
  await client.end()
  await database.drop()
})

const merchant = (id: number): Session => createSession('merchant', { 'x-hasura-merchant-id': String(id) })

const valueOf = (result: GraphQLResult): unknown =>
  result.kind === 'data' ? (JSON.parse(result.json) as unknown) : { errors: result.errors }

/** Subscribes; the test takes the answers one by one. */
function subscribe(
  query: string,
  session: Session = merchant(1),
  variables: Readonly<Record<string, unknown>> = {},
) {
  const results = engine.subscribe({ query, variables }, session, { signal: stopping.signal })
  const iterator = results[Symbol.asyncIterator]()
  return {
    next: async (): Promise<unknown> => {
      const step: IteratorResult<GraphQLResult, unknown> = await iterator.next()
      return step.done === true ? 'ended' : valueOf(step.value)
    },
    leave: () => iterator.return?.(),
  }
}

const titles = 'subscription { product(order_by: {id: asc}) { title } }'

describe('a live query', () => {
  test('answers at once, and again when its rows change, but not for other changes', async () => {
    const shop = subscribe(titles)
    expect(await shop.next()).toEqual({ product: [{ title: 'Cup' }, { title: 'Pan' }] })
    const second = shop.next()
    await client.query(`update product set title = 'Cap' where merchant_id = 2`)
    await client.query(`update product set stock = 0`)
    expect(await Promise.race([second, sleep(4 * intervalMs, 'silence')])).toBe('silence')
    await client.query(`update product set title = 'Mug' where merchant_id = 1 and id = 1`)
    expect(await second).toEqual({ product: [{ title: 'Mug' }, { title: 'Pan' }] })
  })

  test('shows two merchants with the same document their own rows', async () => {
    const [one, two] = [subscribe(titles), subscribe(titles, merchant(2))]
    expect(await one.next()).toEqual({ product: [{ title: 'Cup' }, { title: 'Pan' }] })
    expect(await two.next()).toEqual({ product: [{ title: 'Hat' }] })
    await client.query(`insert into product values (2, 5, 'Tie')`)
    expect(await two.next()).toEqual({ product: [{ title: 'Hat' }, { title: 'Tie' }] })
  })

  test('uses each subscriber’s own variables, limits included', async () => {
    const query = `subscription ($ids: [Int!]!, $title: String, $limit: Int, $offset: Int) {
      product(where: {id: {_in: $ids}, title: {_neq: $title}}, limit: $limit, offset: $offset, order_by: {id: asc}) { id }
    }`
    const one = subscribe(query, merchant(1), {
      ids: [1, 2],
      title: 'a "quoted" \\ {text}',
      limit: 5,
      offset: 1,
    })
    const two = subscribe(query, merchant(1), { ids: [2], title: 'Cup', limit: 5, offset: 0 })
    expect(await one.next()).toEqual({ product: [{ id: 2 }] })
    expect(await two.next()).toEqual({ product: [{ id: 2 }] })
  })

  test('answers null for a row by key that is not there, and an aggregate as one object', async () => {
    const row = subscribe('subscription { product_by_pk(merchant_id: 1, id: 9) { title } }', adminSession)
    expect(await row.next()).toEqual({ product_by_pk: null })
    const count = subscribe('subscription { product_aggregate { aggregate { count } } }', adminSession)
    expect(await count.next()).toEqual({ product_aggregate: { aggregate: { count: 3 } } })
  })

  test('refuses in Hasura’s words any subscription to more or less than one field', async () => {
    const errorOf = async (query: string, session = merchant(1)) => subscribe(query, session).next()
    expect(await errorOf('subscription { product { id } other: product { id } }')).toEqual({
      errors: [
        {
          message: 'subscriptions must select one top level field',
          extensions: { path: '$', code: 'validation-failed' },
        },
      ],
    })
    expect(await errorOf('subscription { product { nothing } }')).toMatchObject({
      errors: [{ message: `field "nothing" not found in type: 'product'` }],
    })
    expect(await errorOf(titles, createSession('stranger', {}))).toMatchObject({
      errors: [{ message: 'no subscriptions exist' }],
    })
    expect(await errorOf(titles, createSession('merchant', {}))).toMatchObject({
      errors: [{ extensions: { code: 'not-found' } }],
    })
  })

  test('whose values Postgres refuses does not affect other subscribers', async () => {
    const query = 'subscription ($stock: bigint!) { product(where: {stock: {_eq: $stock}}) { title } }'
    const bad = subscribe(query, merchant(1), { stock: '999999999999999999999999' })
    const good = subscribe(query, merchant(1), { stock: '5' })
    expect(await bad.next()).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] })
    expect(await good.next()).toEqual({ product: [{ title: 'Cup' }] })
    await client.query(`update product set title = 'Mug' where stock = 5`)
    expect(await good.next()).toEqual({ product: [{ title: 'Mug' }] })
  })

  test('ends with an error when its permission is dropped', async () => {
    const shop = subscribe(titles)
    await shop.next()
    await engine.replaceMetadata(shopMetadata(['id']))
    expect(await shop.next()).toMatchObject({
      errors: [{ message: `field "title" not found in type: 'product'` }],
    })
    expect(await shop.next()).toBe('ended')
  })

  test('survives a change of metadata that keeps its rows', async () => {
    const shop = subscribe(titles)
    await shop.next()
    await engine.replaceMetadata(shopMetadata(['id', 'title']))
    await client.query(`delete from product where id = 2`)
    expect(await shop.next()).toEqual({ product: [{ title: 'Cup' }] })
  })

  test('survives the loss of its connection to Postgres', async () => {
    const shop = subscribe(titles)
    await shop.next()
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'hasura-embedded'`,
    )
    await client.query(`delete from product where id = 2`)
    expect(await shop.next()).toEqual({ product: [{ title: 'Cup' }] })
  })
})

describe('a database whose rows depend on a setting of the session', () => {
  /** The permission has no filter: only the setting tells merchants apart. */
  const unfiltered: Metadata = {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: { schema: 'public', name: 'own_product' },
            select_permissions: [{ role: 'merchant', permission: { columns: '*', filter: {} } }],
          },
        ],
      },
    ],
  }
  const own = (name: string) => (rows: readonly unknown[]) => ({ [name]: rows })
  const [list, stream] = [own('own_product'), own('own_product_stream')]
  const titlesOfOwn = 'subscription { own_product(order_by: {id: asc}) { title } }'
  const streamOfOwn =
    'subscription { own_product_stream(batch_size: 9, cursor: [{initial_value: {id: 0}}]) { title } }'

  beforeEach(async () => {
    await client.query(`
      create view own_product as
        select * from product where merchant_id = current_setting('shop.merchant_id', true)::int`)
    await engine.stop()
    engine = await start({
      sessionSettings: { variables: { 'shop.merchant_id': 'x-hasura-merchant-id' }, roles: {} },
    })
    await engine.replaceMetadata(unfiltered)
  })

  test('runs one statement of a live query for each merchant, and shows each its own rows', async () => {
    const [one, two, another] = [
      subscribe(titlesOfOwn),
      subscribe(titlesOfOwn, merchant(2)),
      subscribe(titlesOfOwn),
    ]
    const [cupAndPan, hat] = [list([{ title: 'Cup' }, { title: 'Pan' }]), list([{ title: 'Hat' }])]
    expect([await one.next(), await two.next(), await another.next()]).toEqual([cupAndPan, hat, cupAndPan])
    await client.query(`insert into product values (1, 7, 'Pot'), (2, 7, 'Tie')`)
    const [withPot, withTie] = [
      list([{ title: 'Cup' }, { title: 'Pan' }, { title: 'Pot' }]),
      list([{ title: 'Hat' }, { title: 'Tie' }]),
    ]
    expect([await one.next(), await two.next(), await another.next()]).toEqual([withPot, withTie, withPot])
  })

  test('streams each merchant its own rows', async () => {
    const [one, two] = [subscribe(streamOfOwn), subscribe(streamOfOwn, merchant(2))]
    expect([await one.next(), await two.next()]).toEqual([
      stream([{ title: 'Cup' }, { title: 'Pan' }]),
      stream([{ title: 'Hat' }]),
    ])
    await client.query(`insert into product values (1, 7, 'Pot'), (2, 7, 'Tie')`)
    expect([await one.next(), await two.next()]).toEqual([
      stream([{ title: 'Pot' }]),
      stream([{ title: 'Tie' }]),
    ])
  })
})

/** Rows of `merchant` are those of a filter. */
function filtered(filter: object): Metadata {
  const metadata = shopMetadata(['id', 'title', 'stock'])
  return {
    ...metadata,
    sources: metadata.sources.map((source) => ({
      ...source,
      tables: source.tables.map((table) => ({
        ...table,
        select_permissions: [
          { role: 'merchant', permission: { columns: ['id', 'title'], filter: { ...filter } } },
        ],
      })),
    })),
  }
}

describe('new metadata', () => {
  test('applies to running live queries and streams: rows that its filter hides are not sent', async () => {
    const shop = subscribe(titles)
    expect(await shop.next()).toEqual({ product: [{ title: 'Cup' }, { title: 'Pan' }] })
    const rows = subscribe(
      'subscription { product_stream(batch_size: 9, cursor: [{initial_value: {id: 0}}]) { title } }',
    )
    expect(await rows.next()).toEqual({ product_stream: [{ title: 'Cup' }, { title: 'Pan' }] })
    await engine.replaceMetadata(filtered({ merchant_id: 'X-Hasura-Merchant-Id', title: { _neq: 'Secret' } }))
    await client.query(`insert into product values (1, 3, 'Secret'), (1, 4, 'Lid')`)
    expect(await rows.next()).toEqual({ product_stream: [{ title: 'Lid' }] })
    expect(await shop.next()).toEqual({
      product: [{ title: 'Cup' }, { title: 'Pan' }, { title: 'Lid' }],
    })
  })
})

describe('new metadata whose permission compares another session variable, in the same words', () => {
  const ownedBy = (variable: string): Metadata => filtered({ merchant_id: { _eq: variable } })
  const session = createSession('merchant', { 'x-hasura-merchant-id': '1', 'x-hasura-partner-id': '2' })

  test('gives a running live query the rows of that variable alone', async () => {
    await engine.replaceMetadata(ownedBy('X-Hasura-Merchant-Id'))
    const shop = subscribe(titles, session)
    expect(await shop.next()).toEqual({ product: [{ title: 'Cup' }, { title: 'Pan' }] })
    await engine.replaceMetadata(ownedBy('X-Hasura-Partner-Id'))
    await client.query(`insert into product values (1, 3, 'Secret')`)
    expect(await shop.next()).toEqual({ product: [{ title: 'Hat' }] })
  })

  test('gives a running stream the rows of that variable alone, from its place on', async () => {
    await engine.replaceMetadata(ownedBy('X-Hasura-Merchant-Id'))
    const rows = subscribe(
      'subscription { product_stream(batch_size: 9, cursor: [{initial_value: {id: 0}}]) { title } }',
      session,
    )
    expect(await rows.next()).toEqual({ product_stream: [{ title: 'Cup' }, { title: 'Pan' }] })
    await engine.replaceMetadata(ownedBy('X-Hasura-Partner-Id'))
    await client.query(`insert into product values (1, 3, 'Secret'), (2, 2, 'Old'), (2, 3, 'Tie')`)
    expect(await rows.next()).toEqual({ product_stream: [{ title: 'Tie' }] })
  })
})

describe('many subscribers', () => {
  test('all receive a changed row', async () => {
    const shops = Array.from({ length: 100 }, () => subscribe(titles))
    await Promise.all(shops.map((shop) => shop.next()))
    const changed = Promise.all(shops.map((shop) => shop.next()))
    await client.query(`update product set title = 'Mug' where merchant_id = 1 and id = 1`)
    for (const answer of await changed)
      expect(answer).toEqual({ product: [{ title: 'Mug' }, { title: 'Pan' }] })
  })
})

describe('a stream', () => {
  const stream = `subscription ($after: Int!, $size: Int!, $ordering: cursor_ordering) {
    product_stream(batch_size: $size, cursor: [{initial_value: {id: $after}, ordering: $ordering}]) { id title }
  }`

  test('sends each row once, in order, in batches, from its cursor on', async () => {
    await client.query(`insert into product values (1, 3, 'Bowl'), (1, 4, 'Lid')`)
    const rows = subscribe(stream, merchant(1), { after: 1, size: 2 })
    expect(await rows.next()).toEqual({
      product_stream: [
        { id: 2, title: 'Pan' },
        { id: 3, title: 'Bowl' },
      ],
    })
    expect(await rows.next()).toEqual({ product_stream: [{ id: 4, title: 'Lid' }] })
    const third = rows.next()
    expect(await Promise.race([third, sleep(3 * intervalMs, 'silence')])).toBe('silence')
    await client.query(`insert into product values (1, 5, 'Jar'), (2, 6, 'Sock')`)
    expect(await third).toEqual({ product_stream: [{ id: 5, title: 'Jar' }] })
  })

  test('descends if so ordered, and starts at each subscriber’s initial value', async () => {
    const down = subscribe(stream, merchant(1), { after: 9, size: 1, ordering: 'DESC' })
    expect(await down.next()).toEqual({ product_stream: [{ id: 2, title: 'Pan' }] })
    expect(await down.next()).toEqual({ product_stream: [{ id: 1, title: 'Cup' }] })
    const [one, two] = [0, 1].map((after) => subscribe(stream, merchant(1), { after, size: 1 }))
    expect(await two?.next()).toEqual({ product_stream: [{ id: 2, title: 'Pan' }] })
    expect(await one?.next()).toEqual({ product_stream: [{ id: 1, title: 'Cup' }] })
  })

  test('has a cursor for each subscriber, also for two that began at the same place', async () => {
    const all = { after: 0, size: 1 }
    const [first, row1, row2] = [
      subscribe(stream, merchant(1), all),
      { product_stream: [{ id: 1, title: 'Cup' }] },
      { product_stream: [{ id: 2, title: 'Pan' }] },
    ]
    expect([await first.next(), await first.next()]).toEqual([row1, row2])
    const second = subscribe(stream, merchant(1), all)
    expect([await second.next(), await second.next()]).toEqual([row1, row2])
  })

  test('waits for a subscriber that has not taken the last batch', async () => {
    const rows = subscribe(stream, merchant(1), { after: 0, size: 1 })
    expect(await rows.next()).toEqual({ product_stream: [{ id: 1, title: 'Cup' }] })
    await sleep(4 * intervalMs)
    await client.query(`insert into product values (1, 3, 'Bowl')`)
    expect(await rows.next()).toEqual({ product_stream: [{ id: 2, title: 'Pan' }] })
    expect(await rows.next()).toEqual({ product_stream: [{ id: 3, title: 'Bowl' }] })
  })

  test('keeps its place when metadata changes', async () => {
    const rows = subscribe(stream, merchant(1), { after: 0, size: 2 })
    await rows.next()
    const metadata = shopMetadata(['id', 'title', 'stock'])
    await engine.replaceMetadata({
      ...metadata,
      sources: metadata.sources.map((source) => ({
        ...source,
        tables: source.tables.map((table) => ({
          ...table,
          select_permissions: [
            {
              role: 'merchant',
              permission: {
                columns: '*' as const,
                filter: { merchant_id: { _eq: 'X-Hasura-Merchant-Id' }, id: { _gt: 0 } },
              },
            },
          ],
        })),
      })),
    })
    await client.query(`insert into product values (1, 3, 'Bowl')`)
    expect(await rows.next()).toEqual({ product_stream: [{ id: 3, title: 'Bowl' }] })
  })

  test('refuses a negative size in its own words, also when the operation ran before with another', async () => {
    const refused = { errors: [{ message: 'unexpected negative value' }] }
    expect(await subscribe(stream, merchant(1), { after: 0, size: -1 }).next()).toMatchObject(refused)
    await subscribe(stream, merchant(1), { after: 0, size: 1 }).next()
    expect(await subscribe(stream, merchant(1), { after: 0, size: -1 }).next()).toMatchObject(refused)
  })

  test('requires a cursor of one column', async () => {
    const errorOf = (cursor: string) =>
      subscribe(`subscription { product_stream(batch_size: 1, cursor: ${cursor}) { id } }`).next()
    const extensions = { path: '$.selectionSet.product_stream.args', code: 'validation-failed' }
    const none = { errors: [{ message: 'one streaming column field is expected', extensions }] }
    expect(await errorOf('[]')).toMatchObject(none)
    expect(await errorOf('{initial_value: {}}')).toMatchObject(none)
    expect(await errorOf('[{initial_value: {id: 1, stock: 2}}]')).toMatchObject({
      errors: [{ message: 'multiple column cursors are not supported yet', extensions }],
    })
  })
})
