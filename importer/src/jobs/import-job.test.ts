import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ImportJob } from './import-job.ts'

/** The hours of an import pass at once here, which they don't on the platform itself (tests/import.test.ts). */

const hour = 3_600_000

interface Limited {
  /** The seconds of `Retry-After`. */
  readonly retryAfter: number
}

interface Platform {
  /** The status of the import when it is asked for, the `looks`th time, or the rate's limit. */
  readonly look: (looks: number) => string | Limited
}

/** A platform on which one import is followed, with faked time. */
async function follow({ look }: Platform) {
  let looks = 0
  const operations: string[] = []
  const answerTo = (operation: string): object | Limited => {
    const id = 'i1'
    const upload = { url: `${origin}/upload`, headers: [] }
    if (operation === 'CreateImport') return { createImport: { import: { id }, upload, errors: [] } }
    if (operation === 'StartImport') return { startImport: { import: { id }, errors: [] } }
    if (operation === 'CancelImport') return { cancelImport: { errors: [] } }
    const status = look(++looks)
    return typeof status === 'string' ? { import: { id, status, checked: looks } } : status
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'PUT') return response.end()
      const { query } = JSON.parse(body) as { query: string }
      const operation = /^\w+ (\w+)/.exec(query)?.[1] ?? ''
      operations.push(operation)
      const answer = answerTo(operation)
      response.setHeader('content-type', 'application/json')
      if ('retryAfter' in answer) {
        const extensions = { code: 'RATE_LIMITED', statusCode: 429, details: { field: null } }
        response.writeHead(429, { 'retry-after': String(answer.retryAfter) })
        return response.end(JSON.stringify({ errors: [{ message: 'API rate limit exceeded.', extensions }] }))
      }
      return response.end(JSON.stringify({ data: answer }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = await mkdtemp(join(tmpdir(), 'job-'))
  onTestFinished(async () => {
    vi.useRealTimers()
    server.close()
    server.closeAllConnections()
    await rm(folder, { recursive: true })
  })
  const file = join(folder, 'rows.jsonl')
  await writeFile(file, '{}\n')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const stopping = new AbortController()
  const job = new ImportJob({
    target: { url: `${origin}/graphql`, key: 'k' },
    file,
    format: 'JSON_LINES',
    recordType: null,
    fileName: 'rows.jsonl',
    dryRun: false,
    update: false,
    stopping: stopping.signal,
    onProgress: () => undefined,
  })
  return { job, stopping, operations, looks: () => looks }
}

/** Lets time pass, whenever the job waits for nothing else. */
async function passTime(reached: () => boolean): Promise<void> {
  while (!reached()) {
    if (vi.getTimerCount() > 0) vi.advanceTimersToNextTimer()
    await turn()
  }
}

async function passTimeOf<T>(work: Promise<T>): Promise<T> {
  let settled = false
  const settle = (): void => void (settled = true)
  work.then(settle, settle)
  await passTime(() => settled)
  return work
}

test('following an import of an hour takes a quarter of a free plan’s rate', async () => {
  const times: number[] = []
  const end = Date.now() + hour
  const { job, looks } = await follow({
    look: () => {
      times.push(Date.now())
      return Date.now() < end ? 'RUNNING' : 'SUCCEEDED'
    },
  })
  expect(await passTimeOf(job.run())).toMatchObject({ status: 'SUCCEEDED' })
  expect(looks()).toBeLessThanOrEqual(250)
  const inAMinute = times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length)
  expect(Math.max(...inAMinute)).toBeLessThanOrEqual(12)
})

test('an import is followed to its end although the merchant’s hourly rate is used up, however often', async () => {
  const { job, looks } = await follow({
    look: (number) => (number <= 20 ? { retryAfter: 3_000 } : 'SUCCEEDED'),
  })
  expect(await passTimeOf(job.run())).toMatchObject({ status: 'SUCCEEDED' })
  expect(looks()).toBe(21)
})

test('Ctrl-C cancels an import at once and once, although its next look is far away', async () => {
  const { job, stopping, operations, looks } = await follow({
    look: (number) => {
      if (number === 2) return { retryAfter: 3_000 }
      return number > 4 ? 'CANCELLED' : 'RUNNING'
    },
  })
  const started = Date.now()
  const work = job.run()
  await passTime(() => looks() === 2)
  while (vi.getTimerCount() === 0) await turn()
  stopping.abort()
  expect(await passTimeOf(work)).toMatchObject({ status: 'CANCELLED' })
  expect(operations.filter((operation) => operation === 'CancelImport')).toHaveLength(1)
  expect(Date.now() - started).toBeLessThan(60_000)
})
