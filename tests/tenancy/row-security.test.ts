import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import {
  acrossMerchants,
  acrossMerchantsAsEngine,
  forMerchant,
} from '@commerce-graph/postgres-driver/merchant-scope'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer } from '../support/graphql-client.ts'
import { partUrlsOf } from '../support/part-urls.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import { canary, copyMerchant } from './tenants.ts'

const root = path.resolve(import.meta.dirname, '../..')
type Part = 'engine' | 'actions' | 'auth' | 'worker'
const other = '0198c0de-0000-7000-8000-00000000beef'

const asAdmin = ({ hasuraUrl, adminSecret }: TestPlatform, where: string, body: object): Promise<Response> =>
  fetch(hasuraUrl + where, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': adminSecret },
    body: JSON.stringify(body),
  })

/** Behind the filters of Hasura and of the functions: what the database shows a part that forgets them. */
describe('the database', { timeout: 120_000 }, () => {
  let platform: TestPlatform
  let owner: Sql
  let pools: Readonly<Record<Part, Sql>>
  let merchant: string
  beforeAll(async () => {
    platform = await startTestPlatform({ mode: 'live' })
    merchant = platform.merchantId
    owner = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
    const urls = await partUrlsOf(platform.databaseUrl)
    const open = (url = '') => postgres(url, { max: 1, onnotice: () => undefined })
    pools = {
      engine: open(urls.engine),
      actions: open(urls.actions),
      auth: open(urls.auth),
      worker: open(urls.worker),
    }
    await copyMerchant(owner, merchant, other)
  }, 120_000)
  afterAll(async () => {
    await Promise.all([owner, ...Object.values(pools)].map((pool) => pool.end()))
    await platform.stop()
  })

  const ofAll = (part: Part): Sql =>
    part === 'engine' ? acrossMerchantsAsEngine(pools.engine) : acrossMerchants(pools[part], 'a test')

  /** The merchants whose customers a statement finds that names none. */
  const merchantsSeen = async (sql: Sql): Promise<readonly string[]> =>
    (await sql<{ id: string }[]>`SELECT DISTINCT merchant_id AS id FROM crm.customer`)
      .map(({ id }) => id)
      .sort()

  const bothMerchants = () => expect.arrayContaining([merchant, other]) as unknown

  test('has forced row security on every table with a merchant’s id', async () => {
    const unprotected = await owner<{ name: string }[]>`
      SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'hdb_catalog')
        AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'merchant_id' AND a.attnotnull)
        AND NOT (c.relrowsecurity AND c.relforcerowsecurity
          AND (SELECT array_agg(p.polname::text ORDER BY p.polname) FROM pg_policy p WHERE p.polrelid = c.oid)
            @> '{of_all,of_merchant,of_scope}')`
    expect(unprotected.map(({ name }) => name)).toEqual([])
  })

  test('reads views with the rights of who asks', async () => {
    const others = await owner<{ name: string }[]>`
      SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'v' AND n.nspname IN (SELECT name FROM platform.own_schemas())
        AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)`
    expect(others.map(({ name }) => name)).toEqual([])
  })

  test('gives no role of the parts an attribute that leads around it', async () => {
    const roles = await owner`
      SELECT rolname FROM pg_roles
      WHERE starts_with(rolname, 'commerce_') AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)`
    expect([...roles]).toEqual([])
  })

  test('shows a statement that forgets the merchant the rows of one merchant, and without row security those of all', async () => {
    const actions = forMerchant(pools.actions, merchant)
    expect(await merchantsSeen(actions)).toEqual([merchant])
    await owner`ALTER TABLE crm.customer DISABLE ROW LEVEL SECURITY`
    try {
      expect(await merchantsSeen(actions)).toEqual(bothMerchants())
    } finally {
      await owner`ALTER TABLE crm.customer ENABLE ROW LEVEL SECURITY`
    }
  })

  test.each(['engine', 'actions', 'worker'] as const)(
    'shows %s no row outside of any scope, and all rows across merchants',
    async (part) => {
      expect(await merchantsSeen(pools[part])).toEqual([])
      expect(await merchantsSeen(ofAll(part))).toEqual(bothMerchants())
    },
  )

  test('shows the engine the rows of all merchants only in the role that it takes for that', async () => {
    const named = await pools.engine.begin(async (sql) => {
      await sql`SELECT set_config('commerce.across_merchants', 'a mistake', TRUE)`
      return merchantsSeen(sql as unknown as Sql)
    })
    expect(named).toEqual([])
    expect(await merchantsSeen(forMerchant(pools.engine, merchant))).toEqual([merchant])
  })

  test('shows Hasura’s admin the rows of all merchants, by GraphQL and by SQL', async () => {
    const asked = await asAdmin(platform, '/v1/graphql', {
      query: '{ crm_customer(distinct_on: merchant_id) { merchant_id } }',
    })
    const { data } = (await asked.json()) as { data: { crm_customer: { merchant_id: string }[] } }
    expect(data.crm_customer.map((row) => row.merchant_id)).toEqual(bothMerchants())
    const sql = 'SELECT DISTINCT merchant_id FROM crm.customer'
    const ran = await asAdmin(platform, '/v2/query', { type: 'run_sql', args: { source: 'default', sql } })
    expect((await ran.json()) as object).toMatchObject({
      result: expect.arrayContaining([[merchant], [other]]) as unknown,
    })
  })

  test('lets Hasura’s admin change rows of all merchants, in several fields that are one transaction', async () => {
    const seen = (of: string) =>
      `update_crm_customer(where: {merchant_id: {_eq: "${of}"}}, _set: {notes: "seen"}) { affected_rows }`
    const changed = await asAdmin(platform, '/v1/graphql', {
      query: `mutation { a: ${seen(merchant)} b: ${seen(other)} }`,
    })
    const { data } = (await changed.json()) as { data: Record<'a' | 'b', { affected_rows: number }> }
    expect(Object.values(data).map((field) => field.affected_rows > 0)).toEqual([true, true])
  })

  describe('when a permission of Hasura has lost its filter', () => {
    const permission = (filter: object) => ({
      type: 'bulk',
      args: [
        { type: 'pg_drop_select_permission', args: { source: 'default', table, role: 'merchant' } },
        {
          type: 'pg_create_select_permission',
          args: {
            source: 'default',
            table,
            role: 'merchant',
            permission: { columns: '*', filter, allow_aggregations: true },
          },
        },
      ],
    })
    const table = { schema: 'crm', name: 'customer' }
    beforeAll(async () => {
      const changed = await asAdmin(platform, '/v1/metadata', permission({}))
      expect(changed.status).toBe(200)
    })

    /** Whether an answer has a row of the other merchant. */
    const ask = async (url: string, query: string): Promise<boolean> => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(platform.liveKey) },
        body: JSON.stringify({ query }),
      })
      const text = await response.text()
      expect(text).not.toContain('"errors":[{')
      return text.includes(canary)
    }
    const hasura = () => ask(`${platform.hasuraUrl}/v1/graphql`, '{ crm_customer { id name } }')
    const contract = () =>
      ask(platform.graphqlUrl, '{ customers(first: 100) { edges { node { id name } } } }')

    test.each([
      ['Hasura’s own API', hasura],
      ['the contract', contract],
    ])('%s shows no row of another merchant, and would without row security', async (_api, showsOther) => {
      expect(await showsOther()).toBe(false)
      await owner`ALTER TABLE crm.customer DISABLE ROW LEVEL SECURITY`
      try {
        expect(await showsOther()).toBe(true)
      } finally {
        await owner`ALTER TABLE crm.customer ENABLE ROW LEVEL SECURITY`
      }
    })
  })

  test('shows the authenticator the session of a token, and used keys, in the scope of their merchant alone', async () => {
    const narrowed = ['identity.session', 'platform.idempotency_record']
    for (const table of narrowed)
      await owner.unsafe(`CREATE POLICY of_one ON ${table} AS RESTRICTIVE TO commerce_auth
        USING (coalesce(current_setting('commerce.across_merchants', TRUE), '') = '')`)
    try {
      const send = async (
        credential: string,
        body: object,
        headers: Readonly<Record<string, string>> = {},
      ) => {
        const response = await fetch(platform.graphqlUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...bearer(credential), ...headers },
          body: JSON.stringify(body),
        })
        return (await response.json()) as { readonly data: Readonly<Record<string, object>> }
      }
      const { data } = await send(platform.liveKey, {
        query: 'mutation ($input: SignInUserInput!) { signInUser(input: $input) { accessToken } }',
        variables: { input: { email: platform.userEmail, password: platform.userPassword } },
      })
      const { accessToken } = data['signInUser'] as { accessToken: string }
      expect(
        await send(accessToken, { query: '{ products(first: 1) { nodes { id } } }' }),
      ).not.toHaveProperty('errors')
      const category = {
        query:
          'mutation { createCategory(input: { name: "Sent twice" }) { category { id } errors { message } } }',
      }
      const once = { 'idempotency-key': 'sent twice' }
      const first = await send(platform.liveKey, category, once)
      expect(first).toMatchObject({ data: { createCategory: { errors: [] } } })
      expect(await send(platform.liveKey, category, once)).toEqual(first)
    } finally {
      for (const table of narrowed) await owner.unsafe(`DROP POLICY of_one ON ${table}`)
    }
  })

  test('refuses rows that are written for another merchant, and finds none of its rows to change', async () => {
    const actions = forMerchant(pools.actions, merchant)
    await expect(
      actions`INSERT INTO crm.customer (merchant_id, email, name) VALUES (${other}, 'smuggled@example.com', 'Smuggled')`,
    ).rejects.toThrow('row-level security')
    const changed = await actions`UPDATE crm.customer SET notes = 'changed' WHERE merchant_id = ${other}`
    const deleted = await actions`DELETE FROM crm.interaction WHERE merchant_id = ${other}`
    expect([changed.count, deleted.count]).toEqual([0, 0])
  })

  test.each([
    ['engine', 'password_hash FROM identity.credential'],
    ['engine', 'private_jwk FROM identity.signing_key'],
    ['engine', 'secret FROM identity.totp'],
    ['engine', 'hash FROM operator.key'],
    ['engine', 'hash FROM identity.recovery_code'],
    ['engine', 'hash FROM identity.refresh_token'],
    ['engine', 'hash FROM identity.one_time_token'],
    ['engine', 'hash FROM operator.sign_up'],
    ['worker', 'password_hash FROM identity.credential'],
    ['engine', 'hash FROM merchant.api_key_hash'],
    ['engine', 'secret FROM events.endpoint_secret'],
    ['engine', 'credentials FROM payment.account_secret'],
    ['worker', 'hash FROM merchant.api_key_hash'],
    ['actions', 'hash FROM operator.key'],
    ['auth', 'password_hash FROM identity.credential'],
    ['auth', 'private_jwk FROM identity.signing_key'],
    ['auth', 'total FROM ordering.order'],
  ] as const)('refuses %s the SELECT of %s', async (part, selected) => {
    await expect(ofAll(part).unsafe(`SELECT ${selected}`)).rejects.toThrow('permission denied')
  })

  test('lets the worker of an import have Postgres look at its tables anew', async () => {
    await pools.worker`SELECT bulk.refresh_statistics('catalog.product_image')`
    const [table] = await owner<{ tuples: number }[]>`
      SELECT reltuples AS tuples FROM pg_class WHERE oid = 'catalog.product_image'::regclass`
    expect(table?.tuples).toBeGreaterThan(0)
  })

  test('refuses the engine the keys that it could let itself in with', async () => {
    await expect(
      ofAll('engine')`UPDATE merchant.api_key_hash SET hash = ${Buffer.from('known')}`,
    ).rejects.toThrow('permission denied')
  })

  test.each([
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "COPY catalog.product TO '/tmp/products'",
    'CREATE ROLE intruder SUPERUSER',
    'ALTER TABLE crm.customer DISABLE ROW LEVEL SECURITY',
  ])('keeps SQL of Hasura’s admin in the database: %s', async (sql) => {
    const response = await asAdmin(platform, '/v2/query', {
      type: 'run_sql',
      args: { source: 'default', sql },
    })
    expect(await response.text()).toMatch(/permission denied|must be (owner|superuser)|insufficient/i)
  })
})

/** Each place is one where somebody has thought about it: a new one comes here with its reason in code. */
test('work across merchants is done in these places alone', () => {
  const files = globSync(['{actions,audit,auth-webhook,access-tokens,gateway,platform,hasura}/**/*.ts'], {
    cwd: root,
  })
    .filter((file) => !/node_modules|\.test\.ts$|\/testing\//.test(file))
    .flatMap((file) => {
      const calls =
        readFileSync(path.join(root, file), 'utf8').match(/\bacrossMerchants(AsEngine)?\(/g)?.length ?? 0
      return calls === 0 ? [] : [`${file}: ${calls}`]
    })
  expect(files.sort()).toEqual([
    'actions/src/jobs/worker-connections.ts: 2',
    'actions/src/start-actions.ts: 5',
    'auth-webhook/src/authenticator.ts: 1',
    'platform/src/open-payments.ts: 1',
    'platform/src/start-commerce.ts: 1',
    'platform/src/start-roles.ts: 2',
  ])
})
