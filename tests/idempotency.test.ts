import { randomUUID } from 'node:crypto'
import { print } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AddInteractionDocument,
  type AddInteractionMutationVariables,
} from './support/generated/hasura-operations.ts'
import { bearer, createClient } from './support/graphql-client.ts'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { createCustomer, createStockedProduct, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

interface Payload {
  readonly cart?: { readonly id: string } | null
  readonly interaction?: { readonly id: string; readonly subject: string } | null
  readonly products?: readonly ({ readonly id: string; readonly name: string } | null)[]
  readonly success?: boolean
  readonly errors: readonly { readonly field: string; readonly code: string }[]
}

interface Sent {
  readonly status: number
  readonly replayed: string | null
  readonly exposed: string | null
  readonly body: {
    readonly data?: Readonly<Record<string, Payload>>
    readonly errors?: readonly { readonly extensions: { readonly id: string; readonly details: object } }[]
  }
}

let platform: TestPlatform
let customerId: string
let sql: Sql
beforeAll(async () => {
  platform = await startTestPlatform()
  sql = postgres(platform.databaseUrl, { max: 2, onnotice: () => undefined })
  customerId = await createCustomer(shop())
})
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

const shop = () => createClient(platform.graphqlUrl, bearer(platform.liveKey))

async function send(query: string, variables: object, key: string): Promise<Sent> {
  const response = await fetch(platform.graphqlUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: 'https://shop.example',
      ...bearer(platform.liveKey),
      'idempotency-key': key,
    },
    body: JSON.stringify({ query, variables }),
  })
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed'),
    exposed: response.headers.get('access-control-expose-headers'),
    body: (await response.json()) as Sent['body'],
  }
}

async function cartsOf(id: string) {
  const { carts } = succeeded(
    await shop()<{ carts: { totalCount: number } }>(
      'query ($id: ID!) { carts(filters: { customerId: $id }) { totalCount } }',
      { id },
    ),
  )
  return carts.totalCount
}

describe('an Idempotency-Key of an action', () => {
  const createDocument = `mutation ($input: CreateCartInput!) {
    createCart(input: $input) { cart { id items { quantity } } errors { field code } } }`

  test('runs the action once; the second answer repeats the first and says so', async () => {
    const key = randomUUID()
    const before = await cartsOf(customerId)
    const first = await send(createDocument, { input: { customerId } }, key)
    const second = await send(createDocument, { input: { customerId } }, key)
    expect(first).toMatchObject({ status: 200, replayed: null })
    expect(second).toEqual({ ...first, replayed: 'true' })
    expect(second.exposed).toContain('idempotency-replayed')
    expect(await cartsOf(customerId)).toBe(before + 1)
  })

  test('replays an answer with the record’s current fields', async () => {
    const key = randomUUID()
    const { id: productId } = await createStockedProduct(shop(), 5)
    const first = await send(createDocument, { input: { customerId } }, key)
    const cartId = first.body.data?.['createCart']?.cart?.id
    succeeded(
      await shop()(
        'mutation ($cartId: ID!, $item: CartItemInput!) { addCartItem(cartId: $cartId, item: $item) { errors { code } } }',
        { cartId, item: { productId, quantity: 2 } },
      ),
    )
    const again = await send(createDocument, { input: { customerId } }, key)
    expect(again.body.data).toEqual({
      createCart: { cart: { id: cartId, items: [{ quantity: 2 }] }, errors: [] },
    })
  })

  test('counts separately for each field of a document, under any alias', async () => {
    const key = 'k'.repeat(255)
    const before = await cartsOf(customerId)
    const document = `mutation ($input: CreateCartInput!) {
      ${'a'.repeat(100)}: createCart(input: $input) { cart { id } errors { code } }
      other: createCart(input: $input) { cart { id } errors { code } } }`
    const first = await send(document, { input: { customerId } }, key)
    const ids = Object.values(first.body.data ?? {}).map(({ cart }) => cart?.id)
    expect(new Set(ids).size).toBe(2)
    expect(await send(document, { input: { customerId } }, key)).toEqual({ ...first, replayed: 'true' })
    expect(await cartsOf(customerId)).toBe(before + 2)
  })

  test('is refused with a different request', async () => {
    const key = randomUUID()
    await send(createDocument, { input: { customerId } }, key)
    expect(await send(createDocument, { input: { customerId, currency: 'EUR' } }, key)).toMatchObject({
      replayed: null,
      body: { errors: [{ extensions: { id: 'SVC_VAL_004', details: { field: 'Idempotency-Key' } } }] },
    })
  })

  test.each([
    ['nothing', ''],
    ['too much', 'k'.repeat(256)],
    ['more than ASCII', 'clé'],
  ])(
    'that holds %s is refused with an error that names the header, and the action does not run',
    async (_what, key) => {
      const before = await cartsOf(customerId)
      expect(await send(createDocument, { input: { customerId } }, key)).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { id: 'SVC_VAL_002', details: { field: 'Idempotency-Key' } } }] },
      })
      expect(await cartsOf(customerId)).toBe(before)
      // A query ignores the header.
      expect(await send('{ __typename }', {}, key)).toMatchObject({ status: 200 })
    },
  )
})

describe('an Idempotency-Key of rows', () => {
  const createDocument = `mutation ($input: InteractionInput!) {
    createInteraction(input: $input) { interaction { id subject } errors { field code } } }`
  const deleteDocument = `mutation ($id: ID!) { deleteInteraction(id: $id) { success errors { field code } } }`
  const note = (subject = 'Asked for tea') => ({ input: { customerId, type: 'NOTE', subject } })
  const notes = async () => (await sql`SELECT FROM crm.interaction WHERE customer_id = ${customerId}`).length
  const interactionOf = ({ body }: Sent) => body.data?.['createInteraction']?.interaction

  test('writes the rows once; the second answer repeats the first and says so', async () => {
    const key = randomUUID()
    const before = await notes()
    const first = await send(createDocument, note(), key)
    expect(first).toMatchObject({ status: 200, replayed: null })
    expect(interactionOf(first)).toMatchObject({ subject: 'Asked for tea' })
    expect(await send(createDocument, note(), key)).toEqual({ ...first, replayed: 'true' })
    expect(await notes()).toBe(before + 1)
  })

  test('writes one row for many concurrent requests', async () => {
    const key = randomUUID()
    const before = await notes()
    // Opens every connection of the pool first.
    await Promise.all(Array.from({ length: 8 }, () => send('{ __typename }', {}, key)))
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(createDocument, note(), key)))
    expect(new Set(answers.map((answer) => interactionOf(answer)?.id)).size).toBe(1)
    expect(interactionOf(answers[0] as Sent)).toMatchObject({ subject: 'Asked for tea' })
    expect(answers.filter(({ replayed }) => replayed === 'true')).toHaveLength(7)
    expect(await notes()).toBe(before + 1)
  })

  test('is refused with a different request, and is not used up by a refused one', async () => {
    const key = randomUUID()
    const refused = await send(createDocument, note(''), key)
    expect(refused.body.data?.['createInteraction']?.errors).toHaveLength(1)
    await send(createDocument, note(), key)
    expect(await send(createDocument, note('Something else'), key)).toMatchObject({
      status: 409,
      body: { errors: [{ extensions: { id: 'SVC_VAL_004', details: { field: 'Idempotency-Key' } } }] },
    })
  })

  test('replays a deletion’s answer, also to concurrent requests', async () => {
    const id = interactionOf(await send(createDocument, note(), randomUUID()))?.id
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(deleteDocument, { id }, key)))
    for (const { body } of [...answers, await send(deleteDocument, { id }, key)])
      expect(body).toEqual({ data: { deleteInteraction: { success: true, errors: [] } } })
    expect((await send(deleteDocument, { id }, randomUUID())).body.data?.['deleteInteraction']).toMatchObject(
      {
        errors: [{ field: 'id', code: 'NOT_FOUND' }],
      },
    )
  })

  test('replays a creation with null if the row has been deleted since', async () => {
    const key = randomUUID()
    const id = interactionOf(await send(createDocument, note(), key))?.id
    await send(deleteDocument, { id }, randomUUID())
    expect(await send(createDocument, note(), key)).toMatchObject({
      replayed: 'true',
      body: { data: { createInteraction: { interaction: null, errors: [] } } },
    })
  })

  test('replays an update with the current record, and does not report its own value as taken', async () => {
    const { id, sku } = await createStockedProduct(shop(), 1)
    const update = `mutation ($id: ID!, $input: UpdateProductInput!) {
      updateProduct(id: $id, input: $input) { product { sku name } errors { field code } } }`
    const key = randomUUID()
    const changes = { id, input: { sku: `${sku}-B` } }
    const first = await send(update, changes, key)
    expect(first.body.data?.['updateProduct']).toMatchObject({ product: { sku: `${sku}-B` }, errors: [] })
    await send(update, { id, input: { name: 'Renamed' } }, randomUUID())
    expect(await send(update, changes, key)).toMatchObject({
      replayed: 'true',
      body: { data: { updateProduct: { product: { sku: `${sku}-B`, name: 'Renamed' }, errors: [] } } },
    })
  })

  test('counts separately for each item of a list, so that refused items can be tried again', async () => {
    const create = `mutation ($inputs: [CreateProductInput!]!) {
      createProducts(inputs: $inputs) { products { id name } errors { field code } } }`
    const key = randomUUID()
    const input = (sku: string) => ({ name: sku, sku, price: 100, currency: 'USD' })
    const [a, b] = [`A-${key}`, `B-${key}`]
    const { id: taking } = await createStockedProduct(shop(), 1)
    await sql`UPDATE catalog.product SET sku = ${b} WHERE id = ${taking}`
    const first = await send(create, { inputs: [input(a), input(b)] }, key)
    expect(first.body.data?.['createProducts']).toMatchObject({
      products: [{ name: a }, null],
      errors: [{ field: 'inputs.1.sku', code: 'ALREADY_EXISTS' }],
    })
    await sql`UPDATE catalog.product SET sku = ${`C-${key}`} WHERE id = ${taking}`
    const second = await send(create, { inputs: [input(a), input(b)] }, key)
    expect(second).toMatchObject({
      replayed: 'true',
      body: { data: { createProducts: { products: [{ name: a }, { name: b }], errors: [] } } },
    })
    expect(await sql`SELECT FROM catalog.product WHERE sku IN (${a}, ${b})`).toHaveLength(2)
  })

  test('is recorded with the rows, in one transaction', async () => {
    const key = randomUUID()
    const before = await notes()
    await sql.unsafe(`
      CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE CONSTRAINT TRIGGER fault AFTER INSERT ON crm.interaction DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION public.fault();`)
    try {
      expect((await send(createDocument, note(), key)).status).toBeGreaterThanOrEqual(500)
    } finally {
      await sql.unsafe('DROP FUNCTION public.fault() CASCADE')
    }
    expect(await notes()).toBe(before)
    const repeated = await send(createDocument, note(), key)
    expect(repeated).toMatchObject({ status: 200, replayed: null })
    expect(repeated.body.errors).toBeUndefined()
    expect(await notes()).toBe(before + 1)
  })

  test('leaves no data of an anonymised customer', async () => {
    const person = await createCustomer(shop())
    const keys = [randomUUID(), randomUUID()]
    const input = { customerId: person, type: 'NOTE', subject: 'Tea' }
    const created = await send(createDocument, { input }, keys[0] as string)
    await send(deleteDocument, { id: interactionOf(created)?.id }, randomUUID())
    const changed = `mutation ($id: ID!, $input: UpdateCustomerInput!) {
      updateCustomer(id: $id, input: $input) { errors { field code } } }`
    await send(changed, { id: person, input: { name: 'Ada Lovelace' } }, keys[1] as string)
    const records = () => sql`SELECT FROM platform.idempotency_record WHERE key IN ${sql(keys)}`
    expect(await records()).toHaveLength(2)
    succeeded(
      await shop()('mutation ($id: ID!) { anonymizeCustomer(id: $id) { errors { code } } }', { id: person }),
    )
    expect(await records()).toEqual([])
  })

  test('can be set by the gateway only: Hasura’s own API ignores it', async () => {
    const key = randomUUID()
    const hasura = await fetch(`${platform.hasuraUrl}/v1/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...bearer(platform.liveKey),
        'x-hasura-idempotency-key': key,
        'x-hasura-idempotency-operation': 'createInteraction',
        'x-hasura-idempotency-fingerprint': 'x',
        'x-hasura-idempotency-record': 'crm_interaction',
      },
      body: JSON.stringify({
        query: print(AddInteractionDocument),
        variables: { customerId } satisfies AddInteractionMutationVariables,
      }),
    })
    expect(await hasura.json()).toMatchObject({ data: { insert_crm_interaction_one: {} } })
    expect(await sql`SELECT FROM platform.idempotency_record WHERE key = ${key}`).toEqual([])
  })
})
