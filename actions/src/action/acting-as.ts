import type { Queryable } from '../database.ts'
import type { ActingCaller } from '../sql/answer-of.ts'
import type { Session } from './session.ts'

/** What the database is told of a session (`platform.current_session`): who the caller is. */
export function actorVariables(session: Session): Readonly<Record<string, string | null>> {
  const principal =
    session.role === 'customer'
      ? { 'x-hasura-customer-id': session.customerId }
      : {
          'x-hasura-key-id': session.keyId ?? null,
          'x-hasura-user-id': session.role === 'merchant' ? (session.userId ?? null) : null,
        }
  return { 'x-hasura-role': session.role, ...principal }
}

/**
 * Calls functions for a session, so that what they change is recorded as its caller's:
 * `ordering.cancelOrder(actingAs(sql, session), {…})`.
 */
export const actingAs = (sql: Queryable, session: Session): ActingCaller => ({
  sql,
  actingAs: sql`platform.acting_as(${sql.json(actorVariables(session))})`,
})
