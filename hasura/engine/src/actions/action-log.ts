import { type HeldRows, holdSql, isHeldSql } from '../events/held-rows.ts'
import type { ClientBase, Pool } from 'pg'
import { parseUnrounded } from '../exact-json.ts'
import { isRefusedValue, postgresError } from '../execute/postgres-error.ts'
import { RequestFailure } from '../execute/request-failure.ts'
import type { GraphQLError } from '../graphql-request.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { Session } from '../session/types.ts'

/** `hdb_catalog.hdb_action_log`: the invocations of asynchronous actions, and their results. */

export interface NewInvocation {
  readonly action: string
  readonly input: JsonValue
  readonly session: Session
  /** Headers to forward to the handler, which may be secrets. Hasura keeps all of the request's. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Records an invocation to be run. Returns its id, by which the result can be read. Throws RequestFailure for an input that
 * jsonb can't hold.
 */
export async function insertInvocation(
  pool: Pool,
  { action, input, session, headers }: NewInvocation,
): Promise<string> {
  const inserted = pool.query<{ id: string }>(
    `insert into hdb_catalog.hdb_action_log (action_name, input_payload, session_variables, request_headers, status)
     values ($1, $2, $3, $4, 'created') returning id`,
    [action, JSON.stringify(input), JSON.stringify(session.variables), JSON.stringify(headers)],
  )
  const { rows } = await inserted.catch((error: unknown) => {
    const refusal = isRefusedValue(error) ? postgresError(error, '$') : undefined
    throw refusal === undefined ? error : new RequestFailure(refusal, { cause: error })
  })
  const [row] = rows
  if (!row) throw new Error('the insert has returned nothing')
  return row.id
}

/** An invocation's result, as a client reads it. */
export interface InvocationResult {
  readonly id: string
  readonly created_at: string
  readonly errors: JsonValue
  readonly output: JsonValue
}

/** An invocation's state. Undefined for every caller other than admin and the session that started it. */
export async function readInvocation(
  pool: Pool,
  action: string,
  id: string,
  session: Session,
): Promise<InvocationResult | undefined> {
  const { rows } = await pool.query<ResultRow>(
    `select id, to_json(created_at) #>> '{}' as created_at, errors::text, response_payload::text as output
       from hdb_catalog.hdb_action_log
      where id = $1 and action_name = $2 and ($3 or session_variables = $4::jsonb)`,
    [id, action, session.isAdmin, JSON.stringify(session.variables)],
  )
  const [row] = rows
  return row && { ...row, errors: jsonOf(row.errors), output: jsonOf(row.output) }
}

interface ResultRow {
  readonly id: string
  readonly created_at: string
  readonly errors: string | null
  readonly output: string | null
}

/** The driver's own parser would round numbers. */
const jsonOf = (text: string | null): JsonValue =>
  text === null ? null : (parseUnrounded(text) as JsonValue)

/** An invocation that this engine has locked. */
export interface TakenInvocation {
  readonly id: string
  readonly action_name: string
  /** JSON text. */
  readonly input_payload: string
  readonly session_variables: Readonly<Record<string, string>>
  readonly request_headers: Readonly<Record<string, string>>
}

export const takeInvocations = (heldRows: HeldRows, limit: number): Promise<readonly TakenInvocation[]> =>
  heldRows.take<TakenInvocation>(
    'action',
    `update hdb_catalog.hdb_action_log set status = 'processing'
      where id in (
        select id from hdb_catalog.hdb_action_log where status = 'created'
         order by created_at limit $1 for update skip locked
      )
     returning id, action_name, input_payload::text, session_variables, request_headers, ${holdSql('action')}`,
    [limit],
  )

export async function completeInvocation(pool: Pool, id: string, output: JsonValue): Promise<void> {
  await pool.query(
    `update hdb_catalog.hdb_action_log
        set status = 'completed', response_payload = $2, response_received_at = now() where id = $1`,
    [id, JSON.stringify(output)],
  )
}

/** Records a failure in the form of Hasura's own: `{path, error, code}`. */
export async function failInvocation(pool: Pool, id: string, failure: GraphQLError): Promise<void> {
  const { path = '$', code: defaultCode = 'unexpected', ...extensions } = failure.extensions
  const { code } = failure.refusal ?? { code: defaultCode }
  const more = Object.keys(extensions).length === 0 ? {} : { extensions }
  await pool.query(
    `update hdb_catalog.hdb_action_log
        set status = 'error', errors = $2, response_received_at = now() where id = $1`,
    [id, JSON.stringify({ path, error: failure.message, code, ...more })],
  )
}

export async function releaseInvocations(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query(
    `update hdb_catalog.hdb_action_log set status = 'created' where status = 'processing' and id = any($1)`,
    [ids],
  )
}

const abandonedSql = `status = 'processing' and not ${isHeldSql('action')}`

/** Whether any invocation has no result yet. */
export async function hasOpenInvocations(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    `select exists (select from hdb_catalog.hdb_action_log where status in ('created', 'processing')) as found`,
  )
  return rows[0]?.found === true
}

/** Invocations that are locked by an engine that is gone. */
export async function abandonedInvocations(heldRows: HeldRows): Promise<readonly string[]> {
  const rows = await heldRows.look<{ id: string }>(
    `select id from hdb_catalog.hdb_action_log where ${abandonedSql}`,
  )
  return rows.map(({ id }) => id)
}

export async function releaseAbandonedInvocations(heldRows: HeldRows, ids: readonly string[]): Promise<void> {
  await heldRows.look(
    `update hdb_catalog.hdb_action_log set status = 'created' where id = any($1) and ${abandonedSql}`,
    [ids],
  )
}

export async function forgetInvocations(client: ClientBase, action: string): Promise<void> {
  await client.query('delete from hdb_catalog.hdb_action_log where action_name = $1', [action])
}
