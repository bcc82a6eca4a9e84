import { pino } from 'pino'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { writesInMemory, writesInRedis } from './recent-writes.ts'

test('a write is recent for as long as replicas may lag, and its holder’s alone', async () => {
  const writes = writesInMemory(200)
  await writes.note('one')
  expect([await writes.has('one'), await writes.has('other')]).toEqual([true, false])
  await sleep(250)
  expect(await writes.has('one')).toBe(false)
})

test('everyone has written while Redis is away, so nobody reads what is old', async () => {
  const writes = writesInRedis('redis://127.0.0.1:1', 200, pino({ level: 'silent' }))
  await writes.note('one')
  expect([await writes.has('one'), await writes.has('other')]).toEqual([true, true])
  writes.close()
})
