import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Engine, startEngine } from '../engine.ts'
import { metadata } from '../metadata/types.ts'
import { adminSession, createSession, type Session } from '../session/types.ts'

/** Shows a tenant its own row, and all rows to those who say that they are about all tenants. */
const sql = `
  CREATE TABLE secret (tenant text PRIMARY KEY);
  INSERT INTO secret VALUES ('a'), ('b'), ('c');
  CREATE VIEW seen AS
    SELECT tenant, pg_backend_pid() AS backend
    FROM secret
    WHERE tenant = current_setting('app.tenant', true) OR current_setting('app.any_tenant', true) = 'on';`

let database: TestDatabase
let engine: Engine
beforeAll(async () => {
  database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(sql)
  await client.end()
  engine = await startEngine({
    databaseUrl: database.url,
    sessionSettings: {
      variables: { 'app.tenant': 'x-hasura-tenant-id' },
      roles: { admin: { 'app.any_tenant': 'on' } },
    },
    logger: pino({ level: 'silent' }),
    events: { delivery: 'when-asked' },
  })
  const permission = { columns: '*', filter: {} } as const
  await engine.replaceMetadata(
    metadata.parse({
      version: 3,
      sources: [
        {
          name: 'default',
          kind: 'postgres',
          configuration: { connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } } },
          tables: [{ table: 'seen', select_permissions: [{ role: 'tenant', permission }] }],
        },
      ],
    }),
  )
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

const answer = z.object({ seen: z.array(z.object({ tenant: z.string(), backend: z.number() })) })

async function see(session: Session): Promise<z.output<typeof answer>['seen']> {
  const query = '{ seen(order_by: {tenant: asc}) { tenant backend } }'
  const result = await engine.execute({ query }, session)
  if (result.kind !== 'data') throw new Error(JSON.stringify(result))
  return answer.parse(JSON.parse(result.json)).seen
}

test('sessions that share a round trip see each their own rows, whoever came before them', async () => {
  const sessions = [
    ...['a', 'b', 'c'].map((tenant) => createSession('tenant', { 'x-hasura-tenant-id': tenant })),
    adminSession,
    createSession('tenant', {}),
  ]
  const expected = [['a'], ['b'], ['c'], ['a', 'b', 'c'], []]
  // Until their statement is known to be short, each has a connection of its own.
  let shared = 0
  for (let round = 0; round < 100; round += 1) {
    const seen = await Promise.all(sessions.map(see))
    expect(seen.map((rows) => rows.map(({ tenant }) => tenant))).toEqual(expected)
    const sawRows = seen.filter((rows) => rows.length > 0).length
    if (new Set(seen.flat().map(({ backend }) => backend)).size < sawRows) shared += 1
  }
  expect(shared).toBeGreaterThan(0)
})
