import { expect, test } from 'vitest'
import { inBatches } from './in-batches.ts'

/** @param batches the number of rows that each step handles; one more step fails */
function steps(...batches: readonly number[]): () => Promise<number> {
  const left = [...batches]
  return () => {
    const batch = left.shift()
    return batch === undefined ? Promise.reject(new Error('a step too many')) : Promise.resolve(batch)
  }
}

test('steps follow each other until one handles fewer rows than its limit', async () => {
  expect(await inBatches(10, steps(10, 10, 3))).toBe(23)
  expect(await inBatches(10, steps(10, 0))).toBe(10)
  expect(await inBatches(10, steps(0))).toBe(0)
})

test('a step that handles more rows than its limit is followed by another', async () => {
  expect(await inBatches(10, steps(12, 1))).toBe(13)
})

test('a bound stops it after the batch that reaches it', async () => {
  expect(await inBatches(10, steps(10, 10), 15)).toBe(20)
})

test('an error of a step is thrown', async () => {
  await expect(inBatches(10, steps(10))).rejects.toThrow('a step too many')
})
