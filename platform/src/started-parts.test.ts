import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { StartedParts } from './started-parts.ts'

function open(atMost?: number) {
  const lines: { readonly part?: string; readonly msg: string }[] = []
  const logger = pino(
    { level: 'info' },
    { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
  )
  return { parts: new StartedParts(logger, atMost), lines }
}
const never = () => new Promise<void>(() => undefined)

test('parts stop in the reverse order of their start, one after the other', async () => {
  const { parts, lines } = open()
  const order: string[] = []
  for (const name of ['database', 'engine', 'gateway'])
    parts.add(name, async () => {
      order.push(`${name} stops`)
      await sleep(5)
      order.push(`${name} stopped`)
    })
  await parts.stop()
  expect(order).toEqual(
    ['gateway', 'engine', 'database'].flatMap((name) => [`${name} stops`, `${name} stopped`]),
  )
  expect(lines).toEqual([])
})

test('a part that hangs or fails keeps no other from stopping, and is named in the log and in the error', async () => {
  const { parts, lines } = open()
  let stopped = false
  parts.add('database', () => {
    stopped = true
  })
  parts.add('workers', never, 20)
  parts.add('gateway', () => Promise.reject(new Error('has no port')))
  await expect(parts.stop()).rejects.toThrow(
    /^Not everything has stopped: gateway: Error: has no port; workers after \d+ ms$/,
  )
  expect(stopped).toBe(true)
  expect(lines.map(({ part, msg }) => [part, msg])).toEqual([
    ['gateway', 'a part could not be stopped'],
    ['workers', 'a part has not stopped in its time, and is left'],
  ])
})

test('all parts together take no longer than they may, however many hang', async () => {
  const { parts } = open(200)
  for (const name of ['one', 'two', 'three']) parts.add(name, never)
  const began = performance.now()
  await expect(parts.stop()).rejects.toThrow('three')
  expect(performance.now() - began).toBeLessThan(200 + 2 * 500 + 500)
})
