import { setTimeout as wait } from 'node:timers/promises'
import postgres from '@commerce-graph/postgres-driver'
import { describe, expect, test } from 'vitest'
import { connectDatabase } from '../database.ts'
import { interruptible } from '../interruptible-database.ts'
import { ListTurns } from './list-turns.ts'
import { later, OrderQueue } from './order-queue.ts'

const unreachable = { databaseUrl: 'postgres://127.0.0.1:1/none', poolSize: 1, applicationName: 'none' }
/** Without a statement, nothing connects. */
const interruption = interruptible(connectDatabase(unreachable), unreachable)

type Placed = (orders: readonly string[]) => Promise<readonly (string | typeof later)[]>

/** A queue, and the lists that it has placed. Each waits until it is let go. */
function queueOf(place: Placed = (orders) => Promise.resolve(orders), turns: ListTurns = new ListTurns(4)) {
  const lists: (readonly string[])[] = []
  const gates: PromiseWithResolvers<undefined>[] = []
  let idle = 0
  const queue = new OrderQueue<string, string>(
    async (orders) => {
      lists.push(orders)
      const gate = Promise.withResolvers<undefined>()
      gates.push(gate)
      await gate.promise
      return place(orders)
    },
    turns,
    () => (idle += 1),
  )
  return {
    queue,
    lists,
    idle: () => idle,
    letGo: async () => {
      gates.shift()?.resolve(undefined)
      await wait(1)
    },
  }
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => String(n))

const failure = (code: string): Error => Object.assign(new postgres.PostgresError(code), { code })

describe('orders of a merchant', () => {
  test('are placed at once if they come alone, and together if they come meanwhile', async () => {
    const { queue, lists, letGo, idle } = queueOf()
    const answers = names(4).map((order) => queue.add(order, 1))
    expect(lists).toEqual([['0']])
    await letGo()
    expect(lists).toEqual([['0'], ['1', '2', '3']])
    await letGo()
    await expect(Promise.all(answers)).resolves.toEqual(names(4))
    expect(idle()).toBe(1)
  })

  test('are placed 16 at a time at most, with 200 lines at most', async () => {
    const { queue, lists, letGo } = queueOf()
    for (const order of names(20)) void queue.add(order, 1)
    void queue.add('large', 199)
    for (let list = 0; list < 4; list += 1) await letGo()
    expect(lists.map(({ length }) => length)).toEqual([1, 16, 3, 1])
  })

  test('that are left for later are placed before those that came after them', async () => {
    let isFirst = true
    const { queue, lists, letGo } = queueOf((orders) => {
      const answers = orders.map((order) => (order === '2' && isFirst ? later : order))
      if (orders.length > 1) isFirst = false
      return Promise.resolve(answers)
    })
    const answers = names(3).map((order) => queue.add(order, 1))
    await letGo()
    answers.push(queue.add('3', 1))
    await letGo()
    await letGo()
    expect(lists).toEqual([['0'], ['1', '2'], ['2', '3']])
    await expect(Promise.all(answers)).resolves.toEqual(names(4))
  })

  test('fail with what they fail with alone', async () => {
    const { queue, letGo } = queueOf((orders) =>
      orders.includes('2') ? Promise.reject(failure('23505')) : Promise.resolve(orders),
    )
    const answers = Promise.allSettled(names(4).map((order) => queue.add(order, 1)))
    for (let list = 0; list < 5; list += 1) await letGo()
    expect((await answers).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })

  test.each([
    [1, 'fulfilled'],
    [2, 'rejected'],
  ])('are placed once more after a deadlock: of %i the order is %s', async (deadlocks, status) => {
    let left = deadlocks
    const { queue, lists, letGo } = queueOf((orders) =>
      left-- > 0 ? Promise.reject(failure('40P01')) : Promise.resolve(orders),
    )
    const answers = Promise.allSettled([queue.add('0', 1)])
    await letGo()
    await letGo()
    expect(await answers).toMatchObject([{ status }])
    expect(lists).toEqual([['0'], ['0']])
  })

  test.each([
    ['the server ended the session', failure('57P01')],
    ['the connection was lost', new Error('CONNECTION_CLOSED')],
  ])('are tried once if %s: they may have been placed', async (_, error) => {
    const { queue, lists, letGo } = queueOf((orders) =>
      orders.length > 1 ? Promise.reject(error) : Promise.resolve(orders),
    )
    const answers = Promise.allSettled(names(3).map((order) => queue.add(order, 1)))
    await letGo()
    await letGo()
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(lists).toHaveLength(2)
  })

  test('that still wait when their caller goes are not placed', async () => {
    const { queue, lists, letGo } = queueOf()
    const caller = new AbortController()
    const first = queue.add('0', 1)
    const gone = expect(interruption.runFor(caller.signal, () => queue.add('1', 1))).rejects.toThrow(
      'the client has gone',
    )
    const other = queue.add('2', 1)
    caller.abort(new Error('the client has gone'))
    await letGo()
    await letGo()
    await gone
    await expect(Promise.all([first, other])).resolves.toEqual(['0', '2'])
    expect(lists).toEqual([['0'], ['2']])
  })

  test('wait no longer than 100 ms for a list that waits for a lock', async () => {
    const { queue, lists, letGo } = queueOf()
    const answers = names(3).map((order) => queue.add(order, 1))
    expect(lists).toHaveLength(1)
    await expect.poll(() => lists).toEqual([['0'], ['1', '2']])
    await letGo()
    await letGo()
    await expect(Promise.all(answers)).resolves.toEqual(names(3))
  })
})

describe('orders of several merchants', () => {
  const merchants = (turns: ListTurns) => names(3).map(() => queueOf(undefined, turns))
  const begun = (queues: readonly ReturnType<typeof queueOf>[]) => queues.map(({ lists }) => lists)

  test('take turns, and those that come while their merchant waits for one are placed together', async () => {
    const queues = merchants(new ListTurns(2))
    const answers = queues.flatMap(({ queue }) => [queue.add('0', 1), queue.add('1', 1)])
    const [first, second, third] = queues
    expect(begun(queues)).toEqual([[['0']], [['0']], []])
    await first?.letGo()
    expect(begun(queues)).toEqual([[['0']], [['0']], [['0', '1']]])
    await second?.letGo()
    await third?.letGo()
    expect(begun(queues)).toEqual([[['0'], ['1']], [['0'], ['1']], [['0', '1']]])
    await first?.letGo()
    await second?.letGo()
    await expect(Promise.all(answers)).resolves.toHaveLength(6)
    expect(queues.map(({ idle }) => idle())).toEqual([1, 1, 1])
  })

  test('wait no longer than 100 ms for another merchant’s list that waits for a lock', async () => {
    const queues = merchants(new ListTurns(1))
    const answers = queues.map(({ queue }) => queue.add('0', 1))
    expect(begun(queues)).toEqual([[['0']], [], []])
    await expect.poll(() => begun(queues)).toEqual([[['0']], [['0']], []])
    for (const { letGo } of queues) await letGo()
    await queues[2]?.letGo()
    await expect(Promise.all(answers)).resolves.toEqual(['0', '0', '0'])
  })

  test('don’t wait for the turn of one whose callers have gone', async () => {
    const queues = merchants(new ListTurns(1))
    const [first, second, third] = queues
    const caller = new AbortController()
    const answered = first?.queue.add('0', 1)
    const gone = expect(
      interruption.runFor(caller.signal, () => second?.queue.add('0', 1) ?? Promise.resolve('')),
    ).rejects.toThrow('the client has gone')
    const last = third?.queue.add('0', 1)
    caller.abort(new Error('the client has gone'))
    await first?.letGo()
    expect(begun(queues)).toEqual([[['0']], [], [['0']]])
    await gone
    await third?.letGo()
    await expect(Promise.all([answered, last])).resolves.toEqual(['0', '0'])
    expect(second?.idle()).toBe(1)
  })
})
