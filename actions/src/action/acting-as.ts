import type { Queryable } from '../database.ts'
import type { ActingCaller } from '../sql/answer-of.ts'
import type { Session } from './session.ts'

/**
 * Calls functions for a session, so that what they change is recorded as its caller's:
 * `ordering.cancelOrder(actingAs(sql, session), {…})`.
 */
export function actingAs(sql: Queryable, session: Session): ActingCaller {
  const principal =
    session.role === 'customer'
      ? { 'x-hasura-customer-id': session.customerId }
      : {
          'x-hasura-key-id': session.keyId ?? null,
          'x-hasura-user-id': session.role === 'merchant' ? (session.userId ?? null) : null,
        }
  const variables = sql.json({ 'x-hasura-role': session.role, ...principal })
  return { sql, actingAs: sql`platform.acting_as(${variables})` }
}
