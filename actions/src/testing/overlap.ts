import { expect } from 'vitest'
import type { Database, Queryable } from '../database.ts'

/**
 * Runs `first` in a transaction that stays open until `second` has ended or waits for a lock. So the two overlap for
 * certain, in this order, and not only by chance.
 *
 * @param meanwhile work of `first` while `second` waits; by default none
 */
export async function overlap<T>(
  database: Database,
  first: (sql: Queryable) => Promise<T>,
  second: () => Promise<T>,
  meanwhile?: (sql: Queryable) => Promise<unknown>,
): Promise<readonly [T, T]> {
  let ended = false
  let other: Promise<T> | undefined
  const waits = async () => {
    const waiting = await database`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return waiting.length > 0
  }
  const one = await database.begin(async (sql) => {
    const answer = await first(sql)
    other = second().finally(() => (ended = true))
    // The caller that awaits it gets its failure.
    other.catch(() => undefined)
    await expect.poll(async () => ended || (await waits()), { timeout: 9_000 }).toBe(true)
    await meanwhile?.(sql)
    return answer
  })
  if (other === undefined) throw new Error('The second was never begun.')
  return [one as T, await other]
}
