import { noMerchant } from '@commerce-graph/contract/ids'
import type { Sql } from '@commerce-graph/postgres-driver'
import { hashApiKey, type GeneratedApiKey, randomKey } from './api-key.ts'

// `cg_op_`, then 256 random bits in base64url.
const kind = 'cg_op_'
const keyForm = /^cg_op_[A-Za-z0-9_-]{43}$/

/** Whether a text has the form of an operator's key. */
export const isOperatorKey = (text: string): boolean => keyForm.test(text)

/** What is known of an operator's key, apart from the key. Times are UTC. */
export interface OperatorKey {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** Makes a key and stores its hash. The key itself is in the answer and nowhere else. `name`: 1 to 100 characters. */
export async function createOperatorKey(
  sql: Sql,
  name: string,
): Promise<{ readonly id: string; readonly key: string }> {
  const { key, hash, prefix }: GeneratedApiKey = randomKey(kind)
  return sql.begin(async (transaction) => {
    const [row] = await transaction<[{ id: string }]>`
      INSERT INTO operator.key (name, prefix, hash) VALUES (${name}, ${prefix}, ${hash}) RETURNING id`
    await transaction`SELECT audit.append(${transaction.json([entry('createOperatorKey', row.id)])})`
    return { id: row.id, key }
  })
}

/** Every key there is or was, oldest first. */
export const listOperatorKeys = async (sql: Sql): Promise<readonly OperatorKey[]> => sql<OperatorKey[]>`
    SELECT id, name, prefix, created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"
    FROM operator.key ORDER BY created_at, id`

/** Ends a key for good, within milliseconds everywhere. Says whether there was one that had not ended. */
export const revokeOperatorKey = async (
  sql: Sql,
  id: string,
): Promise<'revoked' | 'revoked before' | 'unknown'> =>
  sql.begin(async (transaction) => {
    const revoked = await transaction`
      UPDATE operator.key SET revoked_at = now() WHERE id::text = ${id} AND revoked_at IS NULL`
    if (revoked.count === 0) {
      const known = await transaction`SELECT FROM operator.key WHERE id::text = ${id}`
      return known.length > 0 ? 'revoked before' : 'unknown'
    }
    await transaction`SELECT audit.append(${transaction.json([entry('revokeOperatorKey', id)])})`
    return 'revoked'
  })

/** Something that was done with an operator's key, or to one. `merchantId` is null where it was about no merchant. */
export interface OperatorLogEntry {
  readonly createdAt: Date
  readonly keyName: string | null
  readonly source: string
  readonly operation: string | null
  readonly merchantId: string | null
  readonly targetIds: readonly string[]
  readonly outcome: string
  readonly codes: readonly string[]
}

/** The last entries about operators, latest first. */
export const operatorLog = async (sql: Sql, limit: number): Promise<readonly OperatorLogEntry[]> => sql<
  OperatorLogEntry[]
>`
    SELECT
      e.created_at AS "createdAt", k.name AS "keyName", e.source, e.operation,
      nullif(e.merchant_id, ${noMerchant}) AS "merchantId", e.target_ids AS "targetIds", e.outcome, e.codes
    FROM audit.log e
    LEFT JOIN operator.key k ON k.id = e.actor_id
    WHERE e.actor_kind = 'OPERATOR'
    ORDER BY e.created_at DESC, e.id DESC
    LIMIT ${limit}`

const entry = (operation: string, id: string) => ({
  merchant_id: noMerchant,
  actor_kind: 'OPERATOR',
  source: 'COMMAND_LINE',
  operation,
  target_ids: [id],
  outcome: 'DONE',
})

/** The key's id when it is good; else why it isn't, for the log. */
export type FoundOperatorKey =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly id?: string }

export async function findOperatorKey(sql: Sql, key: string): Promise<FoundOperatorKey> {
  const [row] = await sql<{ id: string; revoked: boolean }[]>`
    SELECT id, revoked_at IS NOT NULL AS revoked FROM operator.key WHERE hash = ${hashApiKey(key)}`
  if (row === undefined) return { kind: 'refused', reason: 'unknown operator key' }
  return row.revoked
    ? { kind: 'refused', reason: `operator key ${row.id} was revoked`, id: row.id }
    : { kind: 'found', id: row.id }
}
