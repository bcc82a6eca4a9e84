import { expect, test } from 'vitest'
import { SharedStatement } from './shared-statement.ts'

/** A statement that ends when the test says so. */
function heldStatement() {
  const runs: { readonly items: readonly string[]; readonly ended: PromiseWithResolvers<unknown> }[] = []
  const shared = new SharedStatement<string>((items) => {
    const ended = Promise.withResolvers<unknown>()
    runs.push({ items, ended })
    return ended.promise
  })
  return { runs, shared }
}

test('an item alone is sent at once, and those that come while it runs go together', async () => {
  const { runs, shared } = heldStatement()
  const first = shared.for('a')
  const others = ['b', 'c', 'd'].map((item) => shared.for(item))
  expect(runs.map(({ items }) => items)).toEqual([['a']])
  runs[0]?.ended.resolve(undefined)
  await first
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']])
  runs[1]?.ended.resolve(undefined)
  await Promise.all(others)
})

test('nothing waits for a statement that began before it came', async () => {
  const { runs, shared } = heldStatement()
  const first = shared.for('a')
  let isDone = false
  const second = shared.for('b').then(() => (isDone = true))
  runs[0]?.ended.resolve(undefined)
  await first
  await expect.poll(() => runs.length).toBe(2)
  expect(isDone).toBe(false)
  runs[1]?.ended.resolve(undefined)
  await second
})

test('a statement that fails fails its own items alone', async () => {
  const { runs, shared } = heldStatement()
  const first = shared.for('a')
  const second = shared.for('b')
  runs[0]?.ended.reject(new Error('no room'))
  await expect(first).rejects.toThrow('no room')
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.ended.resolve(undefined)
  await expect(second).resolves.toBeUndefined()
})

test('a thousand items go at once, at most', async () => {
  const sizes: number[] = []
  const shared = new SharedStatement<number>((items) => Promise.resolve(sizes.push(items.length)))
  await Promise.all(Array.from({ length: 2_500 }, (_, item) => shared.for(item)))
  expect(sizes).toEqual([1, 1_000, 1_000, 499])
})
