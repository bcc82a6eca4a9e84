import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { cancelStatement, endsConnection, sqlStateOf, withConnection } from './lend-connection.ts'
import { inOneWrite } from './statement-query.ts'

/**
 * Milliseconds that the statements of one round trip take together at most, by their last runs. The last of them waits for the
 * others, where it could have run beside them.
 */
const mostTogetherMs = 1

/** Callers of one round trip at most. */
const mostTogether = 32

/** What runs a statement on a connection, and waits for its answer. */
type Use<Result> = (client: pg.PoolClient) => Promise<Result>

/** A request that reads. */
interface Caller {
  readonly expectedMs: number
  readonly signal: AbortSignal | undefined
  readonly use: Use<unknown>
  readonly answer: (result: unknown) => void
  readonly refuse: (error: unknown) => void
}

/**
 * Lends a connection for one run of statements that only read, as `withConnection` does. Requests that come in the same turn of
 * the event loop may get the same connection: their runs are sent in one write, because to read and write sockets is much of
 * what a short statement costs, here and in Postgres. Each run stays a transaction of its own, with its own settings, and
 * fails alone.
 *
 * @param expectedMs how long the run will take; one that is long, or of which nothing is known yet, gets a connection of its
 *   own, and so do all of a pool whose connections don't pipeline
 */
export function withSharedConnection<Result>(
  pool: pg.Pool,
  { expectedMs, signal }: Pick<Caller, 'expectedMs' | 'signal'>,
  use: Use<Result>,
): Promise<Result> {
  if (pool.options.pipeline !== true || expectedMs > mostTogetherMs) return withConnection(pool, signal, use)
  return new Promise<Result>((resolve, reject) => {
    const inContext = AsyncLocalStorage.snapshot()
    gather(pool, {
      expectedMs,
      signal,
      use: (client) => inContext(use, client),
      answer: resolve as Caller['answer'],
      refuse: reject,
    })
  })
}

/** The callers of this turn of the event loop. */
const gathered = new WeakMap<pg.Pool, Caller[]>()

function gather(pool: pg.Pool, caller: Caller): void {
  const callers = gathered.get(pool)
  if (callers !== undefined) {
    callers.push(caller)
    return
  }
  const first = [caller]
  gathered.set(pool, first)
  setImmediate(() => {
    gathered.delete(pool)
    for (const party of partiesOf(first)) void serve(pool, party)
  })
}

/** Divides callers into those of one round trip each. */
function partiesOf(callers: readonly Caller[]): readonly (readonly Caller[])[] {
  const parties: Caller[][] = []
  let party: Caller[] = []
  let sum = 0
  for (const caller of callers) {
    if (party.length === 0 || party.length === mostTogether || sum + caller.expectedMs > mostTogetherMs) {
      party = []
      parties.push(party)
      sum = 0
    }
    party.push(caller)
    sum += caller.expectedMs
  }
  return parties
}

const serveAlone = (pool: pg.Pool, { signal, use, answer, refuse }: Caller): Promise<void> =>
  withConnection(pool, signal, use).then(answer, refuse)

/** Answers or refuses each of the callers. */
async function serve(pool: pg.Pool, callers: readonly Caller[]): Promise<void> {
  const [only, ...others] = callers
  if (only !== undefined && others.length === 0) return serveAlone(pool, only)
  const trip = new RoundTrip(pool, callers)
  try {
    await withConnection(pool, undefined, (client) => trip.make(client))
  } catch (error) {
    trip.refuseAll(error)
  }
  await Promise.all(trip.again.map((caller) => serveAlone(pool, caller)))
}

/** The statement before, which was to prepare it for both, has failed. */
const notPrepared = '26000'
const cancelled = '57014'

/** The runs of several callers on one connection. Postgres answers them in their order. */
class RoundTrip {
  /** Callers whose runs have failed for another's sake: they may run again. */
  readonly again: Caller[] = []
  readonly #pool: pg.Pool
  /** Those without an answer, in their order: Postgres works for the first. */
  readonly #waiting: Set<Caller>
  #cancelledFor: Caller | undefined
  readonly #cancellations: Promise<void>[] = []
  /** Why the connection can't be used any more. */
  #loss: Error | undefined

  constructor(pool: pg.Pool, callers: readonly Caller[]) {
    this.#pool = pool
    this.#waiting = new Set(callers)
  }

  /** Sends all runs, and waits for the last answer. Rejects if the connection can't be used any more. */
  async make(client: pg.PoolClient): Promise<void> {
    const leave = (): void => this.#leave(client)
    const callers = [...this.#waiting]
    for (const { signal } of callers) signal?.addEventListener('abort', leave)
    leave()
    await Promise.all(inOneWrite(client, () => callers.map((caller) => this.#run(caller, client))))
    for (const { signal } of callers) signal?.removeEventListener('abort', leave)
    // A late cancellation must not affect the connection's next user.
    await Promise.all(this.#cancellations)
    if (this.#loss !== undefined) throw this.#loss
  }

  refuseAll(error: unknown): void {
    for (const caller of this.#waiting) caller.refuse(error)
  }

  async #run(caller: Caller, client: pg.PoolClient): Promise<void> {
    try {
      caller.answer(await caller.use(client))
    } catch (error) {
      this.#fail(caller, error)
    }
    this.#waiting.delete(caller)
    this.#cancel(client)
  }

  #fail(caller: Caller, error: unknown): void {
    const [served] = this.#waiting
    const state = sqlStateOf(error)
    const isLoss = endsConnection(error)
    const isOfAnother =
      state === notPrepared ||
      (state === cancelled && this.#cancelledFor !== undefined) ||
      (isLoss && (caller !== served || this.#loss !== undefined))
    if (isLoss) this.#loss ??= error
    if (isOfAnother && caller.signal?.aborted !== true) this.again.push(caller)
    else caller.refuse(error)
  }

  /** Refuses those that have gone. */
  #leave(client: pg.PoolClient): void {
    for (const { signal, refuse } of this.#waiting) if (signal?.aborted === true) refuse(signal.reason)
    this.#cancel(client)
  }

  /** Cancels the run that Postgres works at, if its caller has gone. The others wait for it. */
  #cancel(client: pg.PoolClient): void {
    const [served] = this.#waiting
    if (served?.signal?.aborted !== true || served === this.#cancelledFor) return
    this.#cancelledFor = served
    this.#cancellations.push(cancelStatement(this.#pool, client))
  }
}
