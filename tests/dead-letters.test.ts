import { createOperatorKey } from '@commerce-graph/auth-webhook'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let sql: postgres.Sql
let operator: Client
beforeAll(async () => {
  platform = await startTestPlatform()
  sql = postgres(platform.databaseUrl, { max: 1 })
  const { key } = await createOperatorKey(sql, 'On call')
  operator = createClient(platform.graphqlUrl, bearer(key))
}, 120_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

interface Listed {
  readonly deadLetters: { readonly totalCount: number; readonly nodes: readonly { readonly id: string }[] }
}

const list = async (kind: string) =>
  succeeded(
    await operator<Listed>(
      `query ($kind: DeadLetterKind!) { deadLetters(filters: { kind: $kind }) { totalCount nodes { id name error failedAt } } }`,
      { kind },
    ),
  ).deadLetters

const settle = (mutation: 'retryDeadLetters' | 'dropDeadLetters', ids: readonly string[]) =>
  operator(`mutation ($ids: [ID!]!) { ${mutation}(ids: $ids) { count errors { field code } } }`, { ids })

test('an operator sees events that the engine gave up, and has them delivered or dropped', async () => {
  // Of triggers that are gone, so that no engine takes them.
  await sql`
    INSERT INTO hdb_catalog.event_log (schema_name, table_name, trigger_name, payload, error, tries)
    SELECT 'ordering', 'order', name, '{"op": "MANUAL", "data": {"old": null, "new": null}}', true, 8
    FROM unnest(ARRAY['order_changed_before', 'order_placed_before']) name`
  const { totalCount, nodes } = await list('EVENT')
  expect(totalCount).toBe(2)
  const [retried, dropped] = nodes.map(({ id }) => id)
  expect(await settle('retryDeadLetters', [retried ?? ''])).toMatchObject({
    data: { retryDeadLetters: { count: 1, errors: [] } },
  })
  expect(await settle('dropDeadLetters', [dropped ?? ''])).toMatchObject({
    data: { dropDeadLetters: { count: 1, errors: [] } },
  })
  expect(await settle('dropDeadLetters', [dropped ?? ''])).toMatchObject({
    data: { dropDeadLetters: { count: null, errors: [{ field: 'ids.0', code: 'NOT_FOUND' }] } },
  })
  // The outcomes are written a moment later.
  const log = () =>
    sql`SELECT DISTINCT operation, outcome FROM audit.log WHERE operation LIKE '%DeadLetters' ORDER BY 1, 2`
  await expect.poll(log, { timeout: 20_000 }).toEqual([
    { operation: 'dropDeadLetters', outcome: 'DONE' },
    { operation: 'dropDeadLetters', outcome: 'INVALID' },
    { operation: 'retryDeadLetters', outcome: 'DONE' },
  ])
})

test('an operator sees jobs that failed for good, and has them run again', async () => {
  const added = async () => {
    const [row] = await sql<{ attempts: number; state: string }[]>`
      SELECT attempts_made AS attempts, state::text FROM bullmq.job WHERE id = 'doomed'`
    return row
  }
  await sql`
    INSERT INTO bullmq.job (queue, id, seq, name, state, max_attempts, attempts_made, failed_reason, added_at_ms, finished_at_ms)
    VALUES ('exports', 'doomed', nextval('bullmq.job_seq'), 'no-such-job', 'failed', 1, 1, 'of another time', 1, 1)`
  const { nodes } = await list('JOB')
  expect(nodes).toEqual([expect.objectContaining({ name: 'no-such-job', error: 'of another time' })])
  const ids = nodes.map(({ id }) => id)
  expect(await settle('retryDeadLetters', ids)).toMatchObject({
    data: { retryDeadLetters: { count: 1 } },
  })
  await expect.poll(added, { timeout: 20_000 }).toEqual({ state: 'failed', attempts: 1 })
  await expect
    .poll(async () => (await list('JOB')).nodes, { timeout: 20_000 })
    .toEqual([expect.objectContaining({ error: 'There is no job no-such-job.' })])
  await settle('dropDeadLetters', ids)
  expect(await added()).toBeUndefined()
})
