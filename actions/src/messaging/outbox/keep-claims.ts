import type { Database } from '../../database.ts'
import { type Claim, claimSeconds, type DeliveryTable } from './settle.ts'

/** Milliseconds. A claim survives two renewals that fail. */
const renewEvery = 4_000

/**
 * Does the work, and keeps these claims until it is done, however long it takes: only those of a process that is gone run out.
 * Settled ones are left alone.
 */
export async function keepingClaims<T>(
  database: Database,
  table: DeliveryTable,
  claims: readonly Claim[],
  work: () => Promise<T>,
): Promise<T> {
  const ids = claims.map(({ id }) => id)
  const attempts = claims.map(({ attempt }) => attempt)
  const timer = setInterval(() => {
    database`
      UPDATE ${database(table)} d SET claimed_until = now() + make_interval(secs => ${claimSeconds})
      FROM unnest(${ids}::uuid[], ${attempts}::integer[]) AS c (id, attempt)
      WHERE d.id = c.id AND d.attempts = c.attempt AND d.status = 'SENDING'`.catch(() => undefined)
  }, renewEvery)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
