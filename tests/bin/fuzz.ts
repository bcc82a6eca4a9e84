/**
 * Sends malformed and odd requests to its own platform, and prints the statuses, the faults and the memory.
 *
 *   npm run fuzz -- --requests 100000 --seed 1
 */
import { readFile } from 'node:fs/promises'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import { readArguments } from '@commerce-graph/terminal'
import { buildSchema } from 'graphql'
import postgres from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { idsOfRows } from '../fuzz/ids-of-rows.ts'
import { runFuzz } from '../fuzz/run-fuzz.ts'

const usage = `npm run fuzz -- [--requests 100000] [--seed <any whole number>] [--database postgres://…]

Starts a platform over a data folder of its own (or over an empty database) and sends it requests: operations made of the schema with right,
odd and missing values, damaged documents, other JSON, raw HTTP, WebSocket frames. Fails for a 5xx, a refusal without an id
of the catalogue, an answer that shows internals, a socket left open, a crash. The same seed makes the same requests.
Memory is the process's resident set.`

/** Requests count towards the limits, but the limits are too high to refuse the fuzzer. */
const unlimited = {
  LIMIT_RATE_FREE: 'unlimited/100000000/100000000',
  LIMIT_RATE_STARTER: 'unlimited/100000000/100000000',
  LIMIT_RATE_PRO: 'unlimited/100000000/100000000',
  LIMIT_RATE_ENTERPRISE: 'unlimited/100000000/100000000',
  LIMIT_GUESSES_PER_MINUTE: '1000000000',
  LIMIT_RECEIVE_MILLISECONDS: '1500',
}
const settledAfter = 10_000

const { requests, seed, database } = readArguments({
  usage,
  options: { requests: { type: 'string' }, seed: { type: 'string' }, database: { type: 'string' } },
  values: z.object({
    requests: z.coerce.number().int().min(1).max(10_000_000).default(100_000),
    seed: z.coerce
      .number()
      .int()
      .default(() => Date.now() % 1_000_000),
    database: z.string().default(''),
  }),
})

const schema = buildSchema(await readFile(new URL('../../docs/schema.graphql', import.meta.url), 'utf8'))
const platform = await PlatformProcess.create()
try {
  const ready = await platform.start({
    ...unlimited,
    DATABASE_URL: database,
    LOG_LEVEL: 'error',
  })
  const sql = postgres(ready.databaseUrl, { max: 1, onnotice: () => undefined })
  const ids = await idsOfRows(sql, ready.merchantId)
  await sql.end()
  const { pid } = ready
  console.log(`seed ${seed}, ${requests} requests to ${ready.graphqlUrl}`)
  const memory: { sent: number; megabytes: number | null }[] = []
  const started = Date.now()
  const report = await runFuzz(
    { graphqlUrl: ready.graphqlUrl, key: ready.liveKey, schema, ids },
    {
      requests,
      seed,
      async onBatch(sent) {
        if (sent % 2_500 !== 0 && sent !== requests) return
        const megabytes = await residentMegabytes(pid)
        memory.push({ sent, megabytes })
        const rate = Math.round(sent / ((Date.now() - started) / 1_000))
        console.log(`${sent} sent, ${rate} a second, ${megabytes} MB`)
      },
    },
  )
  const health = await fetch(new URL('/readyz', ready.graphqlUrl))
  console.log(`/readyz answers ${health.status} at the end`)
  for (const [outcome, count] of Object.entries(report.outcomes).sort((a, b) => b[1] - a[1]))
    console.log(`${String(count).padStart(9)}  ${outcome}`)
  const settled = memory.find(({ sent }) => sent >= settledAfter)
  if (settled !== undefined)
    console.log(
      `memory: ${settled.megabytes} MB after ${settled.sent}, ${memory.at(-1)?.megabytes} MB at the end`,
    )
  for (const fault of report.faults) console.log(`FAULT ${fault}`)
  console.log(`${report.sent} requests, ${report.faultCount} faults (seed ${seed})`)
  process.exitCode = report.faultCount === 0 && health.status === 200 ? 0 : 1
} finally {
  await platform.remove()
}

/** Linux has the value in /proc; other systems don't. */
async function residentMegabytes(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024)
}
