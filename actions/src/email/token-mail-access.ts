import type { Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import { type EmailKind, isTokenMail } from '../messaging/compose/index.ts'

/**
 * What somebody lacks to word a kind of mail, or to say where its link leads; null: nothing. Who does so could have the tokens sent
 * elsewhere, and become whoever gets one. So for customers it takes what signs in as any of them, and for users everything that
 * any of them may do: nobody grants what they don't have.
 */
export async function missingToWord(
  database: Database,
  { permissions }: Session,
  kind: EmailKind,
): Promise<string | null> {
  if (!isTokenMail(kind)) return null
  if (kind.startsWith('CUSTOMER_')) return permissions.has('customers:write') ? null : 'customers:write'
  const [missing] = await database<{ name: string }[]>`
    SELECT name FROM merchant.permission WHERE name <> ALL (${[...permissions]}) ORDER BY name LIMIT 1`
  return missing?.name ?? null
}
