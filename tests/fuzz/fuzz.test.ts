import { readFile } from 'node:fs/promises'
import { buildSchema } from 'graphql'
import postgres from '@commerce-graph/postgres-driver'
import { expect, test } from 'vitest'
import { longTests } from '../support/long-tests.ts'
import { startTestPlatform } from '../support/test-platform.ts'
import { idsOfRows } from './ids-of-rows.ts'
import { faultOf, faultOfBytes } from './judge-answer.ts'
import { runFuzz } from './run-fuzz.ts'

/** Different from the seeds of `npm run fuzz`, which sends a hundred thousand requests. */
const seed = 20_261_121
const requests = longTests ? 2_000 : 60

test(`${requests} odd and malformed requests are answered, or refused with a catalogue error, and nothing breaks`, async () => {
  const platform = await startTestPlatform()
  try {
    const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
    const ids = await idsOfRows(sql, platform.merchantId)
    await sql.end()
    const schema = buildSchema(await readFile(new URL('../../docs/schema.graphql', import.meta.url), 'utf8'))
    const target = { graphqlUrl: platform.graphqlUrl, key: platform.liveKey, schema, ids }
    const report = await runFuzz(target, { requests, seed })
    expect(report.faults).toEqual([])
    // The requests must have had both successes and refusals.
    expect(Object.keys(report.outcomes).length).toBeGreaterThan(10)
    expect(report.outcomes['200'] ?? 0).toBeGreaterThan(requests / 12)
    const health = await fetch(new URL('/readyz', platform.graphqlUrl))
    expect(health.status).toBe(200)
  } finally {
    await platform.stop()
  }
}, 120_000)

test('an answer counts as a fault if it has a server error, has no known id, or shows internals', () => {
  const refused = (id: string, message = 'No') =>
    JSON.stringify({ errors: [{ message, extensions: { id, requestId: 'x' } }] })
  const json = 'application/json; charset=utf-8'
  expect(faultOf(400, json, refused('SVC_VAL_001'))).toBeNull()
  expect(faultOf(503, json, refused('SVC_SRV_001'))).toContain('503')
  expect(faultOf(200, json, refused('SVC_SRV_001'))).toContain('SVC_SRV_001')
  expect(faultOf(400, json, refused('SVC_NEW_001'))).toContain('catalogue')
  expect(faultOf(400, 'text/plain', 'Bad Request')).toContain('without a catalogue id')
  expect(faultOf(400, json, refused('SVC_VAL_001', 'violates unique constraint'))).toContain('internals')
  expect(faultOfBytes(Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'))).toContain('400')
  expect(faultOfBytes(Buffer.from('hello'))).toContain('no HTTP')
  expect(faultOfBytes(Buffer.from(''))).toBeNull()
})
