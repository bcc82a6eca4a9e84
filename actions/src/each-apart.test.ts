import { expect, test } from 'vitest'
import { eachApart } from './each-apart.ts'

/** Work that fails for some items, with all items that it was called for. */
function workThatFailsFor(fails: readonly number[], code?: string) {
  const called: number[] = []
  const work = (item: number): Promise<number> => {
    called.push(item)
    return fails.includes(item)
      ? Promise.reject(Object.assign(new Error(`item ${item}`), { code }))
      : Promise.resolve(10)
  }
  return { called, work }
}

test('what is done is added up', async () => {
  expect(await eachApart([1, 2, 3], workThatFailsFor([]).work)).toBe(30)
})

test('an item that fails keeps no later one from its work, and its failure is thrown at the end', async () => {
  const { called, work } = workThatFailsFor([1])
  await expect(eachApart([1, 2, 3], work)).rejects.toThrow('item 1')
  expect(called).toEqual([1, 2, 3])
})

test('several failures are thrown as one that has all of them', async () => {
  const thrown: unknown = await eachApart([1, 2, 3], workThatFailsFor([1, 3]).work).catch(
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(AggregateError)
  expect(thrown).toMatchObject({
    message: '2 failures, the first: Error: item 1',
    errors: [new Error('item 1'), new Error('item 3')],
  })
})

test('a database that is away ends it at once', async () => {
  const { called, work } = workThatFailsFor([1], 'CONNECT_TIMEOUT')
  await expect(eachApart([1, 2, 3], work)).rejects.toThrow('item 1')
  expect(called).toEqual([1])
})

test('twenty failures end it', async () => {
  const items = Array.from({ length: 30 }, (_, item) => item)
  const { called, work } = workThatFailsFor(items)
  await expect(eachApart(items, work)).rejects.toThrow('20 failures')
  expect(called).toHaveLength(20)
})
