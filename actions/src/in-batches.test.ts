import { expect, test } from 'vitest'
import { inBatches } from './in-batches.ts'

/** @param batches how much each step deals with; one more step fails */
function steps(...batches: readonly number[]): () => Promise<number> {
  const left = [...batches]
  return () => {
    const batch = left.shift()
    return batch === undefined ? Promise.reject(new Error('a step too many')) : Promise.resolve(batch)
  }
}

test('steps follow each other until one finds less than it may deal with', async () => {
  expect(await inBatches(10, steps(10, 10, 3))).toBe(23)
  expect(await inBatches(10, steps(10, 0))).toBe(10)
  expect(await inBatches(10, steps(0))).toBe(0)
})

test('a step that deals with more than was asked for is followed by another', async () => {
  expect(await inBatches(10, steps(12, 1))).toBe(13)
})

test('a bound ends it with the batch that reaches it', async () => {
  expect(await inBatches(10, steps(10, 10), 15)).toBe(20)
})

test('what a step throws is thrown', async () => {
  await expect(inBatches(10, steps(10))).rejects.toThrow('a step too many')
})
