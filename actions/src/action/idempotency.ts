import { createHash } from 'node:crypto'
import { type Database, onlyOutcome, type Queryable } from '../database.ts'
import { ownerOf } from './session.ts'
import type { ActionCall } from './action.ts'

type Recall<Outcome> =
  | { readonly outcome: 'new' }
  | { readonly outcome: 'repeated'; readonly response: Outcome }
  | { readonly outcome: 'conflict' }

export type Once<Outcome> = Outcome | { readonly outcome: 'key_reused'; readonly key: string }

/**
 * Runs what changes something at most once per Idempotency-Key: the outcome is recorded in the transaction of its
 * effect, and a repeated request gets the recorded one. An outcome that changed nothing isn't recorded, so a retry is
 * judged anew. Without a key it just runs, in the one round trip that it is.
 *
 * @param begin one statement or a few; never anything that waits for another service
 */
export async function once<Outcome extends { readonly outcome: string }>(
  database: Database,
  call: ActionCall,
  begin: (sql: Queryable) => Promise<Outcome>,
  changedSomething: (outcome: Outcome) => boolean,
): Promise<Once<Outcome>> {
  const key = call.idempotencyKey
  if (key === null) return begin(database)
  const { merchantId } = call.session
  const fingerprint = fingerprintOf(call)
  const outcome = await database.begin(async (sql): Promise<Once<Outcome>> => {
    const recalled = onlyOutcome(
      await sql<{ outcome: Recall<Outcome> }[]>`
        SELECT platform.recall(${merchantId}, ${key}, ${call.action}, ${fingerprint}) AS outcome`,
    )
    switch (recalled.outcome) {
      case 'repeated':
        return recalled.response
      case 'conflict':
        return { outcome: 'key_reused', key }
      case 'new':
        break
      default:
        return recalled satisfies never
    }
    const fresh = await begin(sql)
    if (changedSomething(fresh)) {
      const response = sql.json(fresh)
      await sql`SELECT platform.remember(${merchantId}, ${key}, ${call.action}, ${fingerprint}, ${response})`
    }
    return fresh
  })
  return outcome as Once<Outcome>
}

// The caller is part of the request: another shopper's key is never answered with this one's order.
function fingerprintOf(call: ActionCall): Buffer {
  const request = JSON.stringify([ownerOf(call.session), sortKeys(call.input)])
  return createHash('sha256').update(request).digest()
}

// The same object sent with its fields in another order is the same request.
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sortKeys(entry)]),
  )
}
