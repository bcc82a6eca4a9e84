import { randomUUID } from 'node:crypto'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../database.ts'
import * as events from '../sql/generated/events.ts'
import { newSecret } from './endpoint-secrets.ts'

/** A condition of an endpoint's filter, as events.matches reads it. */
export interface Condition {
  readonly field: string
  readonly changed?: boolean | null
  readonly equals?: string | null
  readonly oneOf?: readonly string[] | null
  readonly atLeast?: number | null
  readonly atMost?: number | null
}

/** What decides which events an endpoint gets, and what it is told of them. */
export interface Subscription {
  readonly url: string
  readonly topics: readonly string[]
  readonly filter: readonly Condition[]
  readonly query: string | null
}

export interface StoredEndpoint extends Subscription {
  readonly id: string
  readonly description: string | null
  readonly status: 'ENABLED' | 'DISABLED'
  readonly disabledReason: 'FAILING' | 'GONE' | null
  readonly disabledAt: Date | null
  readonly failingSince: Date | null
  readonly previousSecretUntil: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

const columns = (sql: Queryable) => sql`
  id, url, description, topics, filter, query, status, disabled_reason AS "disabledReason", disabled_at AS "disabledAt",
  failing_since AS "failingSince",
  CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS "previousSecretUntil",
  created_at AS "createdAt", updated_at AS "updatedAt"`

/** @param sql a transaction, if the endpoint is going to be changed */
export async function findEndpoint(
  sql: Queryable,
  merchantId: MerchantId,
  id: string,
): Promise<StoredEndpoint | null> {
  const [row] = await sql<StoredEndpoint[]>`
    SELECT ${columns(sql)} FROM events.endpoint WHERE merchant_id = ${merchantId} AND id = ${id} FOR NO KEY UPDATE`
  return row ?? null
}

export interface NewEndpoint extends Subscription {
  readonly description: string | null
  readonly permissions: readonly string[]
  readonly enabled: boolean
}

const mostEndpoints = 100

/** Null: the merchant has as many as it may. @param sql a transaction */
export async function addEndpoint(
  sql: Queryable,
  secretBox: SecretBox,
  merchantId: MerchantId,
  { filter, topics, permissions, enabled, ...endpoint }: NewEndpoint,
): Promise<{ readonly endpoint: StoredEndpoint; readonly secret: string } | null> {
  if (!(await events.mayAddEndpoint(sql, { merchantId, most: mostEndpoints }))) return null
  const id = randomUUID()
  const { shown, sealed } = newSecret(secretBox, { merchantId, id })
  const [added] = await sql<[StoredEndpoint]>`
    WITH secret AS (
      INSERT INTO events.endpoint_secret (merchant_id, endpoint_id, secret) VALUES (${merchantId}, ${id}, ${sealed})
    )
    INSERT INTO events.endpoint
      (merchant_id, id, url, description, topics, filter, query, permissions, status, disabled_at)
    VALUES (${merchantId}, ${id}, ${endpoint.url}, ${endpoint.description}, ${topics as string[]}, ${sql.json(filter as never)},
      ${endpoint.query}, ${permissions as string[]}, ${enabled ? 'ENABLED' : 'DISABLED'},
      CASE WHEN NOT ${enabled}::boolean THEN now() END)
    RETURNING ${columns(sql)}`
  return { endpoint: added, secret: shown }
}

/** @param permissions of the caller, if it changes what the endpoint gets; null: they stay */
export async function changeEndpoint(
  sql: Queryable,
  merchantId: MerchantId,
  endpoint: Subscription & Pick<StoredEndpoint, 'id' | 'description'>,
  {
    permissions,
    enabled,
  }: { readonly permissions: readonly string[] | null; readonly enabled: boolean | null },
): Promise<StoredEndpoint> {
  const [changed] = await sql<[StoredEndpoint]>`
    UPDATE events.endpoint SET
      url = ${endpoint.url}, description = ${endpoint.description}, topics = ${endpoint.topics as string[]},
      filter = ${sql.json(endpoint.filter as never)}, query = ${endpoint.query},
      permissions = coalesce(${permissions as string[] | null}::text[], permissions),
      permissions_version = permissions_version + (NOT permissions <@ coalesce(${permissions as string[] | null}::text[], permissions))::integer,
      status = CASE ${enabled}::boolean WHEN TRUE THEN 'ENABLED' WHEN FALSE THEN 'DISABLED' ELSE status END,
      disabled_reason = CASE WHEN ${enabled}::boolean IS NULL THEN disabled_reason END,
      disabled_at = CASE ${enabled}::boolean WHEN TRUE THEN NULL WHEN FALSE THEN coalesce(disabled_at, now()) ELSE disabled_at END,
      failing_since = CASE WHEN ${enabled}::boolean THEN NULL ELSE failing_since END
    WHERE merchant_id = ${merchantId} AND id = ${endpoint.id}
    RETURNING ${columns(sql)}`
  return changed
}

/** Null: there is no such endpoint. @param overlap seconds */
export async function rotateSecret(
  sql: Queryable,
  secretBox: SecretBox,
  {
    merchantId,
    id,
    overlap,
  }: { readonly merchantId: MerchantId; readonly id: string; readonly overlap: number },
): Promise<{ readonly endpoint: StoredEndpoint; readonly secret: string } | null> {
  const { shown, sealed } = newSecret(secretBox, { merchantId, id })
  const [endpoint] = await sql<StoredEndpoint[]>`
    WITH rotated AS (
      UPDATE events.endpoint_secret SET
        secret = ${sealed},
        previous_secret = CASE WHEN ${overlap} > 0 THEN secret END
      WHERE merchant_id = ${merchantId} AND endpoint_id = ${id}
    )
    UPDATE events.endpoint SET
      previous_secret_until = CASE WHEN ${overlap} > 0 THEN now() + make_interval(secs => ${overlap}) END
    WHERE merchant_id = ${merchantId} AND id = ${id}
    RETURNING ${columns(sql)}`
  return endpoint === undefined ? null : { endpoint, secret: shown }
}

/** False: there is no such endpoint. */
export async function deleteEndpoint(sql: Queryable, merchantId: MerchantId, id: string): Promise<boolean> {
  const rows =
    await sql`DELETE FROM events.endpoint WHERE merchant_id = ${merchantId} AND id = ${id} RETURNING id`
  return rows.length > 0
}
