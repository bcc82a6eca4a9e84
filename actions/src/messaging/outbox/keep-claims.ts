import { setTimeout as sleep } from 'node:timers/promises'
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

const recordingTries = 30
const recordingPause = 1_000

/**
 * Repeats what records an outcome while the database is away, for half a minute: what was sent and isn't recorded is sent again.
 * Rejects with the last failure.
 */
export async function recorded(record: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await record()
      return
    } catch (error) {
      if (tries === recordingTries || !isAway(error)) throw error
      await sleep(recordingPause)
    }
  }
}

/** Whether the database could not be reached, or ended the session: codes of Node, of the driver, and classes 08 and 57 of Postgres. */
function isAway(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|CONNECT|08|57P)/.test(code)
}
