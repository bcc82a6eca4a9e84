import type { Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import { type EmailKind, isTokenMail, type LinkKind } from '../messaging/compose/index.ts'

/**
 * Which permission a caller lacks to word a kind of mail, or to set where its link leads; null: none. A caller who may could have
 * the tokens sent elsewhere, and act as their receivers. So for customers it takes what signs in as any of them, and for users everything that
 * any of them may do: a caller never grants what it doesn't have.
 */
export async function missingToWord(
  database: Database,
  { permissions }: Session,
  kind: EmailKind | LinkKind,
): Promise<string | null> {
  if (kind !== 'GUEST_ORDER' && !isTokenMail(kind)) return null
  if (kind === 'GUEST_ORDER' || kind.startsWith('CUSTOMER_'))
    return permissions.has('customers:write') ? null : 'customers:write'
  const [missing] = await database<{ name: string }[]>`
    SELECT name FROM merchant.permission WHERE name <> ALL (${[...permissions]}) ORDER BY name LIMIT 1`
  return missing?.name ?? null
}
