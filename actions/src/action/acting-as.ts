import type { Queryable } from '../database.ts'
import type { Session } from './session.ts'

/**
 * Says in a statement for whom it acts, so that what it changes is recorded as theirs:
 * `SELECT ordering.cancel_order(…) FROM ${actingAs(sql, session)}`. What stands after FROM is evaluated first.
 */
export function actingAs(sql: Queryable, session: Session) {
  const principal =
    session.role === 'customer'
      ? { 'x-hasura-customer-id': session.customerId }
      : { 'x-hasura-key-id': session.keyId ?? null, 'x-hasura-user-id': session.userId ?? null }
  return sql`platform.acting_as(${sql.json({ 'x-hasura-role': session.role, ...principal })})`
}
