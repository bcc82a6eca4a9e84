import { SharedStatement } from '@commerce-graph/postgres-driver/shared-statement'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { Database, Queryable } from '../database.ts'
import { type Action, type ActionCall, accessRefusal, type IdempotencyKey } from './action.ts'
import { type Answer, done, idempotencyKeyReused } from './answer.ts'
import { callTransactions } from './call-transaction.ts'
import { KeyedRequest, type ListedRequest, listedRequest } from './keyed-request.ts'
import type { AnySession } from './session.ts'

export type Once<Outcome> = Outcome | { readonly outcome: 'key_reused'; readonly key: string }

/** Has what changes something happen at most once per Idempotency-Key (docs/decisions/0013). */
export interface IdempotencyKeys {
  /** The database for what actions do. */
  readonly database: Database
  /**
   * The action as it is served: with a key it runs in the transaction that records its answer, and a repeated call gets the
   * recorded one. What changed nothing isn't recorded, so a retry is judged anew.
   */
  keep(action: Action): Action
  /**
   * The first step of an action that takes several. With a key its outcome is recorded in the transaction of its effect; a
   * repeated call gets the recorded one, and goes on from there.
   *
   * @param begin one statement or a few; never anything that waits for another service
   */
  once<Outcome extends { readonly outcome: string }>(
    call: ActionCall,
    begin: (sql: Queryable) => Promise<Outcome>,
    changedSomething: (outcome: Outcome) => boolean,
  ): Promise<Once<Outcome>>
  /**
   * The call as a function of the database takes it that answers a list of calls, keeps their answers and writes their entries
   * of the audit log.
   */
  listed(call: ActionCall): ListedRequest
  /**
   * Resolves when the disk has all that was committed before. For transactions that don't wait for it themselves
   * (`platform.flush_later`), so that they hold no locks meanwhile (docs/decisions/0220).
   */
  onDisk(): Promise<void>
}

/**
 * @param pool the database for what is done on behalf of a caller
 * @param flushing the one whose statements no caller's leaving ends
 */
export function idempotencyKeys(
  pool: Database,
  secretBox: SecretBox,
  flushing: Database = pool,
): IdempotencyKeys {
  const transactions = callTransactions(pool)
  const { database } = transactions
  // The disk has what was committed before this one.
  const flush = new SharedStatement(() => flushing`SELECT pg_logical_emit_message(TRUE, 'commerce', '')`)

  const keepInTransaction = (action: Action, call: ActionCall<AnySession>, key: IdempotencyKey) =>
    transactions.run(async (sql): Promise<Answer> => {
      const { answersSecret, provenBy } = action
      const request = new KeyedRequest(call, key, { secretBox, answersSecret, provenBy })
      const recalled = await request.recall(sql)
      switch (recalled.outcome) {
        case 'repeated':
          key.replayed = true
          return done(recalled.response as Readonly<Record<string, unknown>>)
        case 'conflict':
          return idempotencyKeyReused(key.value, recalled.forgotten)
        case 'new':
          break
        default:
          return recalled satisfies never
      }
      const answer = await action.run(call)
      if (answer.kind === 'done' && answer.nothingChanged !== true) await request.remember(sql, answer.data)
      return answer
    })

  return {
    database,
    keep: (action) => ({
      ...action,
      async run(call) {
        const key = call.idempotencyKey
        if (key === null || action.keeping !== 'in one transaction') return action.run(call)
        // A caller that may not call the action may not have its recorded answer either.
        return accessRefusal(action, call) ?? keepInTransaction(action, call, key)
      },
    }),
    async once<Outcome extends { readonly outcome: string }>(
      call: ActionCall,
      begin: (sql: Queryable) => Promise<Outcome>,
      changedSomething: (outcome: Outcome) => boolean,
    ) {
      const key = call.idempotencyKey
      if (key === null) return begin(database)
      const request = new KeyedRequest(call, key, { secretBox, answersSecret: false })
      const outcome = await database.begin(async (sql): Promise<Once<Outcome>> => {
        const recalled = await request.recall(sql)
        switch (recalled.outcome) {
          case 'repeated':
            key.replayed = true
            return recalled.response as Outcome
          case 'conflict':
            return { outcome: 'key_reused', key: key.value }
          case 'new':
            break
          default:
            return recalled satisfies never
        }
        const fresh = await begin(sql)
        if (changedSomething(fresh)) await request.remember(sql, fresh)
        return fresh
      })
      return outcome as Once<Outcome>
    },
    listed(call) {
      const key = call.idempotencyKey
      if (key === null) return listedRequest(call, null)
      return new KeyedRequest(call, key, { secretBox, answersSecret: false }).listed
    },
    onDisk: () => flush.for(undefined),
  }
}
