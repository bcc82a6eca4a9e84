import { expect } from 'vitest'
import type { Database, Queryable } from '../database.ts'

/**
 * Does the first in a transaction that stays open until the second has ended or waits for it. So what a lock is for happens for
 * sure, in this order, and not only where two happen to meet.
 *
 * @param meanwhile what the first does while the second waits; nothing unless given
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
    // Its failure is for the one who awaits it.
    other.catch(() => undefined)
    await expect.poll(async () => ended || (await waits()), { timeout: 9_000 }).toBe(true)
    await meanwhile?.(sql)
    return answer
  })
  if (other === undefined) throw new Error('The second was never begun.')
  return [one as T, await other]
}
