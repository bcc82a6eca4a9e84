import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inParallel } from './in-parallel.ts'

test('so many items at most are under way at once, and each has its turn', async () => {
  let [underWay, most] = [0, 0]
  const done: number[] = []
  await inParallel(2, [1, 2, 3, 4, 5], async (item) => {
    underWay += 1
    most = Math.max(most, underWay)
    await sleep(5)
    underWay -= 1
    done.push(item)
  })
  expect(most).toBe(2)
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5])
})

test('a failure lets what is under way end, and nothing new begin', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const work = async (item: number): Promise<void> => {
    begun.push(item)
    if (item === 1) throw new Error('item 1')
    await sleep(20)
    ended.push(item)
  }
  await expect(inParallel(2, [1, 2, 3, 4, 5], work)).rejects.toThrow('item 1')
  expect(begun).toEqual([1, 2])
  expect(ended).toEqual([2])
})
