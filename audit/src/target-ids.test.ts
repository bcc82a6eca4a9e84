import { expect, test } from 'vitest'
import { targetIdsOf } from './target-ids.ts'

const id = (n: number) => `01a1f000-0000-7000-8000-${String(n).padStart(12, '0')}`

test('ids are found under their names, at any depth, each once', () => {
  const input = {
    id: id(1),
    items: [{ productId: id(2) }, { productId: id(2) }],
    categoryIds: [id(3), id(4)],
  }
  expect(targetIdsOf({ input }, { orderId: id(5), merchantId: id(9) })).toEqual([1, 2, 3, 4, 5].map(id))
})

test('a value that is no id is never taken, under any name and in any form', () => {
  const input = {
    password: id(1),
    token: id(2),
    note: id(3),
    id: 'cg_live_abc',
    userId: 'me@example.com',
    ids: [7, null],
  }
  expect(targetIdsOf(input, null, 'text')).toEqual([])
})

test('at most a hundred ids are taken, in bounded time for any input', () => {
  expect(targetIdsOf({ ids: Array.from({ length: 5000 }, (_, n) => id(n)) })).toHaveLength(100)
  let deep: object = { id: id(1) }
  for (let i = 0; i < 50_000; i += 1) deep = { deep }
  expect(targetIdsOf(deep)).toEqual([])
})
