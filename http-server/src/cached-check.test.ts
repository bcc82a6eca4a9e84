import { expect, test, vi } from 'vitest'
import { cachedCheck } from './cached-check.ts'

test('calls during a check, and for some time after it, share its result', async () => {
  let answers = 0
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const ask = cachedCheck(60_000, async () => {
    await promise
    return (answers += 1)
  })
  const early = [ask(), ask()]
  resolve(undefined)
  expect(await Promise.all([...early, ask()])).toEqual([1, 1, 1])
  expect(await ask()).toBe(1)
})

test('a failed check rejects all calls that share it, and runs again when its result is old', async () => {
  const check = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('no')).mockResolvedValue('yes')
  const ask = cachedCheck(1, check)
  await expect(Promise.all([ask(), ask()])).rejects.toThrow('no')
  await expect.poll(ask).toBe('yes')
})
