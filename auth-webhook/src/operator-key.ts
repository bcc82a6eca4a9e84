import { noMerchant } from '@commerce-graph/contract/ids'
import type { Sql } from '@commerce-graph/postgres-driver'
import { hashApiKey, randomKey } from './api-key.ts'
import { readTagged } from './place-tag.ts'

// `cg_op_`, the place (place-tag.ts), then 256 random bits in base64url.
const kind = 'cg_op_'

/** Null if the text does not have the form of an operator's key. */
export function readOperatorKey(
  text: string,
): { readonly operator: true; readonly place: string | null } | null {
  const read = readTagged(kind, text)
  return read === null ? null : { operator: true, place: read.place }
}

/** The record of an operator's key, without the key. Times are UTC. */
export interface OperatorKey {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** Makes a key and stores its hash. Only the result has the key itself. `name`: 1 to 100 characters. */
export const createOperatorKey = async (
  sql: Sql,
  name: string,
): Promise<{ readonly id: string; readonly key: string }> =>
  sql.begin(async (transaction) => {
    const [{ place }] = await transaction<[{ place: string }]>`SELECT platform.place() AS place`
    const { key, hash, prefix } = randomKey(kind, place)
    const [row] = await transaction<[{ id: string }]>`
      INSERT INTO operator.key (name, prefix, hash) VALUES (${name}, ${prefix}, ${hash}) RETURNING id`
    await transaction`SELECT audit.append(${transaction.json([entry('createOperatorKey', row.id)])})`
    return { id: row.id, key }
  })

/** Every key, ended ones included, oldest first. */
export const listOperatorKeys = async (sql: Sql): Promise<readonly OperatorKey[]> => sql<OperatorKey[]>`
    SELECT id, name, prefix, created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"
    FROM operator.key ORDER BY created_at, id`

/** Ends a key for good, within milliseconds in all processes. Returns whether there was an active one. */
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

/** An action with an operator's key, or on one. `merchantId` is null if it concerned no merchant. */
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

/** The key's id if it is valid; otherwise the reason, for the log. */
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
