import { AsyncLocalStorage } from 'node:async_hooks'
import type postgres from '@commerce-graph/postgres-driver'
import type { Database } from '../database.ts'

export interface CallTransactions {
  /** The database as actions have it: inside of `run`, everything goes to the transaction of the call. */
  readonly database: Database
  /** Does the work in one transaction, whichever statements and transactions it thinks it begins. It ends with the work. */
  run<T>(work: (sql: postgres.TransactionSql) => Promise<T>): Promise<T>
}

/**
 * Lets the one who calls an action decide that it is one transaction, so that none of a hundred actions has to know whether its
 * call has an Idempotency-Key.
 */
export function callTransactions(database: Database): CallTransactions {
  const transactions = new AsyncLocalStorage<postgres.TransactionSql>()
  return {
    database: new Proxy(database, {
      apply(pool, self: unknown, args: unknown[]) {
        const target = (transactions.getStore() ?? pool) as unknown as (...args: unknown[]) => unknown
        return Reflect.apply(target, self, args)
      },
      get(pool, name) {
        const transaction = transactions.getStore()
        if (transaction === undefined) return Reflect.get(pool, name) as unknown
        if (name === 'begin')
          return (work: (sql: postgres.TransactionSql) => Promise<unknown>) => transaction.savepoint(work)
        return Reflect.get(transaction, name) as unknown
      },
    }),
    async run<T>(work: (sql: postgres.TransactionSql) => Promise<T>) {
      const result = await database.begin((sql) => transactions.run(sql, () => work(sql)))
      return result as T
    },
  }
}
