import { AsyncLocalStorage } from 'node:async_hooks'
import postgres from '@commerce-graph/postgres-driver'
import { tracer } from '@commerce-graph/telemetry'
import { leavingOfCaller } from '../interruptible-database.ts'
import type { ListTurns } from './list-turns.ts'

/** What a list of orders may have, at most. A single order may have more lines. */
const most = { orders: 16, lines: 200, listsAtOnce: 4 }

/** Milliseconds: a list that takes longer waits for a lock, which orders of other products don't need. */
const patience = 100

/** For an order that is left for a later list. */
export const later = Symbol('later')

interface Waiting<Order, Answer> {
  readonly order: Order
  readonly lines: number
  /** An order that is traced has a list for itself: what it writes carries its trace. */
  readonly isTraced: boolean
  readonly leaving: AbortSignal | undefined
  readonly inItsContext: <T>(work: () => T) => T
  readonly done: PromiseWithResolvers<Answer>
}

/**
 * Orders of one merchant. An order that comes alone is placed at once; those that come while others are being placed wait, and
 * are placed together: several in one transaction cost less than each in its own, and they would wait for each other's
 * locks anyway. No more wait than calls of actions are taken at once.
 */
export class OrderQueue<Order, Answer> {
  readonly #place: (orders: readonly Order[]) => Promise<readonly (Answer | typeof later)[]>
  readonly #turns: ListTurns
  readonly #onIdle: () => void
  #waiting: Waiting<Order, Answer>[] = []
  #running = 0
  /** Whether the last list has just begun. */
  #isFresh = false
  #asksForTurn = false

  /**
   * @param place places the orders in one transaction, and answers for each. One at least is never left for later.
   * @param turns shared by the queues of all merchants
   * @param onIdle no order waits, and none is being placed
   */
  constructor(
    place: (orders: readonly Order[]) => Promise<readonly (Answer | typeof later)[]>,
    turns: ListTurns,
    onIdle: () => void,
  ) {
    this.#place = place
    this.#turns = turns
    this.#onIdle = onIdle
  }

  /**
   * Rejects with what the order's own transaction fails with; what another order fails with is nothing to it. An order whose
   * caller has gone before its list begins is not placed.
   */
  add(order: Order, lines: number): Promise<Answer> {
    const done = Promise.withResolvers<Answer>()
    this.#waiting.push({
      order,
      lines,
      isTraced: tracer.current()?.sampled === true,
      leaving: leavingOfCaller(),
      inItsContext: AsyncLocalStorage.snapshot(),
      done,
    })
    this.#pump()
    return done.promise
  }

  #pump(): void {
    if (this.#asksForTurn) return
    if (this.#waiting.length === 0) {
      if (this.#running === 0) this.#onIdle()
      return
    }
    if (this.#isFresh || this.#running === most.listsAtOnce) return
    this.#asksForTurn = true
    this.#turns.ask(() => {
      this.#asksForTurn = false
      this.#begin()
    })
  }

  /** Places those that wait by now; with the turn that it has. */
  #begin(): void {
    const list = this.#next()
    if (list.length > 0) {
      void this.#run(list)
      return
    }
    this.#turns.giveBack()
    this.#pump()
  }

  /** Takes the next list from those that wait. */
  #next(): readonly Waiting<Order, Answer>[] {
    const gone = this.#waiting.filter(({ leaving }) => leaving?.aborted)
    for (const { leaving, done } of gone) done.reject(leaving?.reason)
    this.#waiting = this.#waiting.filter((each) => !gone.includes(each))
    const [first, ...others] = this.#waiting
    if (first === undefined) return []
    const list = [first]
    let { lines } = first
    for (const each of first.isTraced ? [] : others) {
      if (each.isTraced || lines + each.lines > most.lines) continue
      list.push(each)
      lines += each.lines
      if (list.length === most.orders) break
    }
    this.#waiting = this.#waiting.filter((each) => !list.includes(each))
    return list
  }

  async #run(list: readonly Waiting<Order, Answer>[]): Promise<void> {
    this.#running += 1
    this.#isFresh = true
    let hasTurn = true
    const letNextBegin = (): void => {
      if (!hasTurn) return
      hasTurn = false
      this.#isFresh = false
      this.#turns.giveBack()
    }
    const timer = setTimeout(() => {
      letNextBegin()
      this.#pump()
    }, patience)
    await this.#settle(list)
    clearTimeout(timer)
    this.#running -= 1
    letNextBegin()
    this.#pump()
  }

  /** @param isRepeated an order that lost in a deadlock is placed once more, by itself */
  async #settle(list: readonly Waiting<Order, Answer>[], isRepeated = false): Promise<void> {
    const [first] = list
    if (first === undefined) return
    try {
      const answers = await first.inItsContext(() => this.#place(list.map(({ order }) => order)))
      const left = list.filter((_, at) => answers[at] === later)
      if (left.length === list.length) throw new Error('All orders of a list were left for later.')
      for (const [at, { done }] of list.entries()) {
        const answer = answers[at]
        if (answer === undefined) done.reject(new Error('An order was not answered.'))
        else if (answer !== later) done.resolve(answer)
      }
      this.#waiting = [...left, ...this.#waiting]
    } catch (error) {
      // At once, because one may wait for a lock, as the list did.
      if (list.length > 1 && isUndone(error)) await Promise.all(list.map((each) => this.#settle([each])))
      else if (!isRepeated && isDeadlock(error)) await this.#settle(list, true)
      else for (const { done } of list) done.reject(error)
    }
  }
}

/** Whether Postgres has undone the transaction, for a fault of a statement: the connection and the server are still there. */
const isUndone = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !/^(08|57|58|XX)/.test(error.code)

const isDeadlock = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '40P01'
