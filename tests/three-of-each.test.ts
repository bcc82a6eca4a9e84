import { startWebhookReceiver } from '@commerce-graph/actions/testing/webhook-receiver'
import { hashPassword } from '@commerce-graph/actions'
import { type DemoShop, keepDemoKeys, keepDemoPassword } from '@commerce-graph/demo-shop'
import postgres from '@commerce-graph/postgres-driver'
import { decodeJwt } from 'jose'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoDatabase } from './support/demo-database.ts'
import { openEmptyShop } from './support/empty-shop.ts'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { hasRedis, RedisProcess } from './support/redis-process.ts'
import { type Role, type RoleProcess, RoleProcesses } from './support/role-processes.ts'
import { sendRequests } from './support/send-requests.ts'
import { createStockedProduct, payload } from './support/shop.ts'
import { createSubscriptionClient } from './support/subscription-client.ts'

const all: readonly Role[] = ['engine', 'webhook', 'actions', 'worker', 'gateway']
/** Milliseconds in which every process has heard of what one has done. */
const heard = 3_000
const missing = hasRedis ? '' : ' (skipped: no redis-server is installed)'

interface Payload {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

/** A server that notes the time for which each call of a cron trigger was planned. */
class CronReceiver {
  readonly planned: string[] = []
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { scheduled_time: time } = JSON.parse(Buffer.concat(chunks).toString()) as {
        scheduled_time: string
      }
      this.planned.push(time)
      response.end('{}')
    })
  })

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

describe.skipIf(!longTests || !hasRedis)(longTest(`three processes of each role${missing}`), () => {
  const started = new AsyncDisposableStack()
  const cron = new CronReceiver()
  let roles: RoleProcesses
  let sql: postgres.Sql
  let databaseUrl: string
  let shop: DemoShop

  const of = (role: Role): readonly RoleProcess[] => roles.processes.filter((one) => one.roles.includes(role))
  const addresses = (role: Role): readonly string[] => of(role).map((one) => one.addressOf(role))
  /** A client of each gateway. */
  const clients = (credential: string, headers: Readonly<Record<string, string>> = {}): readonly Client[] =>
    addresses('gateway').map((url) => createClient(`${url}/graphql`, { ...bearer(credential), ...headers }))

  async function metadata(body: object): Promise<void> {
    const [engine] = addresses('engine')
    const answer = await fetch(`${engine ?? ''}/v1/metadata`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': roles.adminSecret },
      body: JSON.stringify(body),
    })
    expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 200 })
  }

  beforeAll(async () => {
    const database = await createDemoDatabase()
    started.defer(() => database.drop())
    databaseUrl = database.url
    sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
    started.defer(() => sql.end())
    shop = await keepDemoKeys(sql, { read: () => undefined, write: () => undefined })
    await keepDemoPassword(sql, shop, hashPassword)
    const redis = await RedisProcess.start()
    started.defer(() => redis.stop())
    roles = await RoleProcesses.open(databaseUrl, {
      REDIS_URL: redis.url,
      DATABASE_CONNECTIONS_ENGINE: '5',
      DATABASE_CONNECTIONS_ACTIONS: '6',
      DATABASE_CONNECTIONS_WORKER: '8',
    })
    started.defer(() => roles.close())
    // One of each at a time: the processes share this machine's cores.
    for (let number = 0; number < 3; number += 1) {
      const some = await Promise.all(all.map((role) => roles.start([role])))
      await Promise.all(some.map((one) => roles.served(one)))
    }
    const webhook = await cron.listen()
    started.defer(() => cron.close())
    await metadata({
      type: 'create_cron_trigger',
      args: { name: 'each_minute', webhook, schedule: '* * * * *', include_in_metadata: true },
    })
  }, 600_000)
  afterAll(() => started.disposeAsync(), 300_000)

  test('hold a plan’s rate together, to the request', async () => {
    const { merchantId, key } = await openEmptyShop(databaseUrl)
    await sql`UPDATE merchant.subscription SET plan = 'FREE' WHERE merchant_id = ${merchantId}`
    const urls = addresses('gateway').map((url) => `${url}/graphql`)
    expect(await sendRequests({ urls, key, requests: 240, atOnce: 12 })).toEqual({ 200: 100, 429: 140 })
  }, 60_000)

  test('count failed sign-ins together, and keep the account locked for its client at each gateway', async () => {
    const client = { 'x-client-address': '198.51.100.7' }
    const gateways = clients(shop.liveKey, client)
    const guess = (gateway: Client) =>
      gateway<Record<string, Payload>>(
        'mutation ($input: SignInUserInput!) { signInUser(input: $input) { errors { message } } }',
        { input: { email: shop.userEmail, password: 'a guess' } },
      )
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect((await guess(gateways[attempt % gateways.length] as Client)).status).toBe(200)
    const locked = await Promise.all(gateways.map(guess))
    expect(locked.map(({ status }) => status)).toEqual(gateways.map(() => 429))
  }, 60_000)

  const query = '{ products(first: 1) { totalCount } }'
  const answersOf = async (credential: string) => ({
    gateways: await Promise.all(clients(credential).map(async (one) => (await one(query)).status)),
    webhooks: await Promise.all(
      addresses('webhook').map(async (url) => {
        const body = JSON.stringify({ headers: { Authorization: `Bearer ${credential}` } })
        const answer = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        await answer.body?.cancel()
        return answer.status
      }),
    ),
  })
  const everywhere = (status: number) => ({
    gateways: [status, status, status],
    webhooks: [status, status, status],
  })

  test('all refuse a revoked key', async () => {
    const [first, second] = clients(shop.liveKey) as [Client, Client]
    const created = payload(
      await first<Record<string, Payload & { key: string; apiKey: { id: string } }>>(
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id } errors { field message } } }',
        { input: { name: 'Short', permissions: ['products:read'] } },
      ),
    )
    expect(await answersOf(created.key)).toEqual(everywhere(200))
    payload(
      await second<Record<string, Payload>>(
        'mutation ($id: ID!) { revokeApiKey(id: $id) { errors { field message } } }',
        { id: created.apiKey.id },
      ),
    )
    await expect.poll(() => answersOf(created.key), { timeout: heard }).toEqual(everywhere(401))
  }, 60_000)

  /** The token of a session that this process of the actions opens, which it signs. */
  async function signInAt(actions: string): Promise<string> {
    const answer = await fetch(`${actions}/identity/signInUser`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-actions-secret': roles.actionsSecret },
      body: JSON.stringify({
        action: { name: 'signInUser' },
        input: { input: { email: shop.userEmail, password: shop.userPassword } },
        session_variables: {
          'x-hasura-role': 'merchant',
          'x-hasura-merchant-id': shop.merchantId,
          'x-hasura-permissions': '{user_sessions:write}',
          'x-hasura-principal-id': crypto.randomUUID(),
        },
      }),
    })
    const { accessToken = '' } = (await answer.json()) as { accessToken?: string }
    expect(accessToken).not.toBe('')
    return accessToken
  }

  test('of the actions all open the sealed key of tokens, and all others take the tokens until their session ends', async () => {
    for (const actions of addresses('actions')) {
      const accessToken = await signInAt(actions)
      expect(await answersOf(accessToken)).toEqual(everywhere(200))
      payload(
        await (clients(accessToken)[2] as Client)<Record<string, Payload>>(
          'mutation ($id: ID!) { revokeSession(id: $id) { errors { field message } } }',
          { id: decodeJwt(accessToken)['sid'] },
        ),
      )
      await expect.poll(() => answersOf(accessToken), { timeout: heard }).toEqual(everywhere(401))
    }
  }, 120_000)

  test('show a subscriber of one gateway what is changed through another one', async () => {
    const [, second] = clients(shop.liveKey) as [Client, Client]
    const product = await createStockedProduct(second, 7)
    const [first = ''] = addresses('gateway')
    const subscriber = createSubscriptionClient(`${first}/graphql`, bearer(shop.liveKey))
    const seen: string[] = []
    subscriber.subscribe(
      {
        query: 'subscription ($id: ID!) { product(id: $id) { name } }',
        variables: { id: product.id },
      },
      {
        next: (answer) => seen.push(JSON.stringify(answer)),
        error: (error) => seen.push(`ended: ${JSON.stringify(error)}`),
        complete: () => undefined,
      },
    )
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(1)
    payload(
      await second<Record<string, Payload>>(
        'mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { errors { field message } } }',
        { id: product.id, input: { name: 'Seen from elsewhere' } },
      ),
    )
    await expect.poll(() => seen.at(-1), { timeout: 20_000 }).toContain('Seen from elsewhere')
    await subscriber.dispose()
  }, 60_000)

  test('of the workers each opens a sealed secret: alone it signs a webhook', async () => {
    const receiver = await startWebhookReceiver()
    const [owner] = clients(shop.liveKey) as [Client]
    const { webhookEndpoint } = payload(
      await owner<Record<string, Payload & { webhookEndpoint: { secret: string } }>>(
        'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { secret } errors { field message } } }',
        { input: { url: receiver.url, topics: ['customer.*'] } },
      ),
    )
    try {
      for (const [number, worker] of of('worker').entries()) {
        const others = of('worker').filter((one) => one !== worker)
        for (const other of others) other.freeze()
        try {
          payload(
            await owner<Record<string, Payload>>(
              'mutation ($input: CustomerInput!) { createCustomer(input: $input) { errors { field message } } }',
              { input: { email: `alone${number}@example.com`, name: 'Alone' } },
            ),
          )
          // What a frozen one has claimed is taken over when its claim has run out.
          await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBeGreaterThan(number)
        } finally {
          for (const other of others) other.thaw()
        }
      }
      for (const { body, headers } of receiver.received)
        expect(() => new Webhook(webhookEndpoint.secret).verify(body, headers)).not.toThrow()
    } finally {
      await receiver.close()
    }
  }, 300_000)

  test('call a cron trigger once for each time, and run a job once for each of its times', async () => {
    // Queues keep no job that is done.
    await sql.unsafe(`
      CREATE TABLE public.ended_run (at timestamptz NOT NULL DEFAULT now());
      CREATE FUNCTION public.note_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        'BEGIN INSERT INTO public.ended_run DEFAULT VALUES; RETURN NULL; END';
      CREATE TRIGGER note_run AFTER UPDATE ON platform.job_run FOR EACH ROW
        WHEN (NEW.job = 'expire-reservations' AND NEW.succeeded_at IS DISTINCT FROM OLD.succeeded_at)
        EXECUTE FUNCTION public.note_run()`)
    const began = Date.now()
    await expect.poll(() => new Set(cron.planned).size, { timeout: 200_000 }).toBeGreaterThanOrEqual(2)
    await sleep(5_000)
    expect(cron.planned).toHaveLength(new Set(cron.planned).size)
    const gaps = [...cron.planned].sort().map((time) => Date.parse(time) % 60_000)
    expect(new Set(gaps)).toEqual(new Set([0]))
    const [ended] = await sql<{ runs: number }[]>`SELECT count(*)::integer AS runs FROM public.ended_run`
    const due = (Date.now() - began) / 5_000
    expect(ended?.runs).toBeLessThanOrEqual(Math.ceil(due) + 1)
    expect(ended?.runs).toBeGreaterThan(due / 2)
  }, 300_000)

  test('know of each other, and none differs', async () => {
    const [known] = await sql`SELECT count(*)::integer AS processes FROM platform.process`
    expect(known).toEqual({ processes: 15 })
    for (const { roles: own, output } of roles.processes)
      expect({ own, differs: output.includes('Another process differs') }).toEqual({ own, differs: false })
  })
})
