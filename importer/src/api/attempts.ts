import type { Problem } from '../input/row.ts'
import { ImportStopped, Unavailable } from './api-error.ts'
import { backoffMs, type RetryPolicy } from './retry-policy.ts'
import { sleep } from './sleep.ts'

/** The outcome of a row in one attempt. */
export type Outcome =
  | { readonly kind: 'created' | 'updated' | 'skipped' }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  /** A failure of the server's that may pass. `problem` is what it said. */
  | { readonly kind: 'again'; readonly problem: Problem }

export type Settled = Exclude<Outcome, { kind: 'again' }>

/**
 * Attempts rows until each is settled. An attempt first looks up existing records, so a repetition, also after a
 * lost answer, never creates a record twice.
 *
 * @throws ImportStopped when the API stays unavailable or `stopping` is signalled; the other rows stay open
 */
export async function settle<T>(
  rows: readonly T[],
  attempt: (rows: readonly T[]) => Promise<readonly Outcome[]>,
  policy: RetryPolicy,
  stopping: AbortSignal,
): Promise<Map<T, Settled>> {
  const settled = new Map<T, Settled>()
  let pending = rows
  for (let number = 1; pending.length > 0; number++) {
    const last = number === policy.attempts
    const outcomes = await attemptOnce(pending, attempt, last)
    const again: T[] = []
    for (const [index, row] of pending.entries()) {
      const outcome = outcomes?.[index]
      if (outcome === undefined) again.push(row)
      else if (outcome.kind !== 'again') settled.set(row, outcome)
      else if (last) settled.set(row, { kind: 'refused', problems: [outcome.problem] })
      else again.push(row)
    }
    pending = again
    if (pending.length === 0) break
    await sleep(backoffMs(policy, number), stopping)
  }
  return settled
}

/** Undefined if the API was unavailable. */
async function attemptOnce<T>(
  rows: readonly T[],
  attempt: (rows: readonly T[]) => Promise<readonly Outcome[]>,
  last: boolean,
): Promise<readonly Outcome[] | undefined> {
  try {
    return await attempt(rows)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    if (last) throw new ImportStopped(`the API is unavailable: ${error.message}`)
    return undefined
  }
}
