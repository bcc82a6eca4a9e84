import { expect, test, vi } from 'vitest'
import { Readiness } from './readiness.ts'

const well = () => ({})
const wrong = () => ({ problem: 'is away', details: { seconds: 9 } })

test('a failed required check makes it unavailable, a failed optional one degraded', async () => {
  const readiness = new Readiness()
  readiness.add({ name: 'database', needed: true, find: well })
  expect(await readiness.report()).toEqual({ status: 'ok', checks: { database: 'ok' }, details: {} })
  readiness.add({ name: 'jobs', needed: false, find: wrong })
  expect(await readiness.report()).toEqual({
    status: 'degraded',
    checks: { database: 'ok', jobs: 'is away' },
    details: { jobs: { seconds: 9 } },
  })
  readiness.add({ name: 'writes', needed: true, find: () => Promise.reject(new Error('disk full')) })
  expect(await readiness.report()).toMatchObject({ status: 'unavailable', checks: { writes: 'disk full' } })
})

test('a check that does not answer counts as failed within two seconds', async () => {
  vi.useFakeTimers()
  try {
    const readiness = new Readiness()
    readiness.add({ name: 'database', needed: true, find: () => new Promise(() => undefined) })
    const report = readiness.report()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await report).toMatchObject({
      status: 'unavailable',
      checks: { database: 'no answer within 2000 ms' },
    })
  } finally {
    vi.useRealTimers()
  }
})

test('concurrent requests cost one check', async () => {
  const readiness = new Readiness()
  const find = vi.fn(well)
  readiness.add({ name: 'database', needed: true, find })
  await Promise.all(Array.from({ length: 100 }, () => readiness.report()))
  expect(find).toHaveBeenCalledOnce()
})

test('a recovered service counts at once, even if requests before it saw it failing', async () => {
  const readiness = new Readiness()
  let problem: string | undefined = 'gone'
  readiness.add({ name: 'database', needed: true, find: () => ({ problem }) })
  expect(await readiness.report()).toMatchObject({ status: 'unavailable' })
  problem = undefined
  await expect.poll(() => readiness.report(), { timeout: 500, interval: 10 }).toMatchObject({ status: 'ok' })
})

test('a stopping gateway is not ready, although all checks pass', async () => {
  const readiness = new Readiness()
  readiness.add({ name: 'database', needed: true, find: well })
  await readiness.report()
  readiness.stop()
  expect(await readiness.report()).toMatchObject({ status: 'stopping', checks: { database: 'ok' } })
})

test('two checks of one name are an error', () => {
  const readiness = new Readiness()
  readiness.add({ name: 'database', needed: true, find: well })
  expect(() => readiness.add({ name: 'database', needed: true, find: well })).toThrow('checked twice')
})
