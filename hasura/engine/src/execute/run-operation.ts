import type pg from 'pg'
import { answerAction, type ActionRuntime } from '../actions/run-action.ts'
import type { GraphQLRequest, ExecuteOptions, GraphQLResult } from '../graphql-request.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { JoinRegistry } from '../plan/remote-joins.ts'
import type { RootFieldPlace } from '../plan/root-field.ts'
import type { RemoteCaller } from '../remote/send-remote.ts'
import { selectSettings, type Setting } from '../session/session-settings.ts'
import type { Session } from '../session/types.ts'
import { type TraceContext, traceSetting } from '../tracing/trace-context.ts'
import type { Bindings } from './bind-parameters.ts'
import { type CompiledRead, isRead } from './compile.ts'
import type { CompiledOperation, FieldGroup } from './compile-operation.ts'
import type { GraphQLExecutorOptions } from './executor-options.ts'
import { expectedMs } from './expected-time.ts'
import { withConnection } from './lend-connection.ts'
import { postgresError } from './postgres-error.ts'
import { RequestFailure } from './request-failure.ts'
import { resolveJoins } from './resolve-joins.ts'
import { retryAborted } from './retry-aborted.ts'
import { runField, runReads } from './run-field.ts'
import { runRemoteFields } from './run-remote-fields.ts'
import { withSharedConnection } from './share-round-trip.ts'
import { settingsFor, type TransactionSettings, transactionSettings } from './statement-query.ts'

/** One operation that runs: who asks for it, with which values, and what it runs with. */
export interface Run {
  readonly request: GraphQLRequest
  readonly session: Session
  readonly variables: Readonly<Record<string, JsonValue>>
  readonly executeOptions: ExecuteOptions
  readonly pool: pg.Pool
  readonly options: GraphQLExecutorOptions
  readonly trace: () => TraceContext
}
export async function runOperation(
  { kind, groups, joins }: Pick<CompiledOperation, 'kind' | 'groups' | 'joins'>,
  run: Run,
): Promise<GraphQLResult> {
  const parts: string[] = []
  const cookies: string[] = []
  for (const group of groups) {
    switch (group.kind) {
      case 'text':
        parts.push(...group.fields.map((field) => entry(field, field.json)))
        break
      case 'database':
        parts.push(await runDatabaseGroup(group, run))
        break
      case 'remote':
        for (const answer of await runRemoteFields(group.fields, remoteCaller(run))) {
          cookies.push(...answer.cookies)
          parts.push(entry(answer, JSON.stringify(answer.value)))
        }
        break
      case 'action': {
        const { action, scope } = group.field
        const answer = await answerAction(action, scope, actionRuntime(run))
        cookies.push(...answer.cookies)
        parts.push(entry(group.field, answer.json))
        break
      }
      default:
        group satisfies never
    }
  }
  const json = await withJoins(`{${parts.join(',')}}`, joins, run)
  return {
    kind: 'data',
    json,
    ofQuery: kind === 'query',
    ...(cookies.length > 0 && { headers: { 'set-cookie': cookies } }),
  }
}

async function withJoins(json: string, joins: JoinRegistry, run: Run): Promise<string> {
  if (joins.joins.length === 0) return json
  const { pool, session, options } = run
  const stringifyNumbers = options.stringifyNumericTypes
  return resolveJoins(json, joins, { ...remoteCaller(run), pool, session, stringifyNumbers })
}
const remoteCaller = ({ session, options, executeOptions, trace }: Run): RemoteCaller => ({
  environment: options.env,
  prioritizesData: options.prioritizeRemoteData,
  trace: trace(),
  sessionVariables: session.variables,
  ...executeOptions,
})

/** A field of the answer. The first and the last field of a namespace open and close its object. */
function entry({ key, namespace }: Omit<RootFieldPlace, 'path'>, json: string): string {
  const own = `"${key}":${json}`
  if (namespace === undefined) return own
  const { isFirst, isLast } = namespace
  return `${isFirst ? `"${namespace.key}":{` : ''}${own}${isLast ? '}' : ''}`
}
const actionRuntime = ({ pool, options, session, request, executeOptions, trace }: Run): ActionRuntime => ({
  pool,
  trace: trace(),
  environment: options.env,
  localHandlers: options.localHandlers,
  session,
  requestQuery: request.query,
  stringifyNumbers: options.stringifyNumericTypes,
  tracer: options.tracer,
  ...executeOptions,
})
/** Characters of a statement in the log. */
const loggedText = 2_000

/** Logs statements that take too long, without the values of their parameters, which are the client's. */
function slowStatements({
  options: { slowStatementMs, logger },
  executeOptions: { clientHeaders },
}: Pick<Run, 'options' | 'executeOptions'>): Bindings['timed'] {
  if (slowStatementMs === undefined || logger === undefined) return undefined
  return (text, milliseconds) => {
    if (milliseconds < slowStatementMs) return
    const requestId = clientHeaders?.['x-request-id']
    const line = { requestId, milliseconds: Math.round(milliseconds), statement: text.slice(0, loggedText) }
    logger.warn(line, 'a slow statement')
  }
}

type DatabaseGroup = Extract<FieldGroup, { kind: 'database' }>

/** Runs a group's fields. Returns their entries of the answer. */
function runDatabaseGroup({ fields, isolation }: DatabaseGroup, run: Run): Promise<string> {
  const { variables, session, pool } = run
  const { tracer } = run.options
  const timed = slowStatements(run)
  const entries = async (client: pg.PoolClient, bindings: Bindings): Promise<string> => {
    const parts: string[] = []
    for (const field of fields) {
      const json = field.kind === 'text' ? field.json : await runField(client, field.field, bindings)
      parts.push(entry(field, json))
    }
    return parts.join(',')
  }
  const { signal } = run.executeOptions
  switch (isolation) {
    case 'reads':
      return runReadGroup(fields, run, { variables, session, tracer, timed })
    case 'single-write': {
      const settings = settingsOf(run)
      return retryAborted(() =>
        withConnection(pool, signal, (client) =>
          entries(client, { variables, session, tracer, timed, settings }),
        ),
      )
    }
    case 'transaction': {
      const settings = settingsOf(run)
      return retryAborted(() =>
        withConnection(pool, signal, (client) =>
          inTransaction(client, [...transactionSettings(settings), ...settingsFor(client, session)], () =>
            entries(client, { variables, session, tracer, timed, inTransaction: true }),
          ),
        ),
      )
    }
    default:
      return isolation satisfies never
  }
}

/** Whether it does no harm to run a read twice, as a shared round trip may. A function of the database might have effects. */
const mayRunTwice = (read: CompiledRead): read is Extract<CompiledRead, { kind: 'statement' }> =>
  read.kind === 'statement' && !read.reads.isOpaque && read.reads.functions.length === 0

/** Runs the fields of a query in one round trip, which other queries may share. */
async function runReadGroup(
  fields: DatabaseGroup['fields'],
  { pool, executeOptions: { signal } }: Run,
  bindings: Bindings,
): Promise<string> {
  const reads = fields
    .filter((field) => field.kind === 'database')
    .map(({ key, field }) => {
      if (!isRead(field)) throw new Error(`the field ${key} of a query writes`)
      return field
    })
  const expected = reads.every(mayRunTwice) ? expectedMs(reads.map(({ statement }) => statement)) : Infinity
  const results = await withSharedConnection(pool, { expectedMs: expected, signal }, (client) =>
    runReads(client, reads, bindings),
  )
  const answers = results.values()
  return fields
    .map((field) => entry(field, field.kind === 'text' ? field.json : (answers.next().value ?? 'null')))
    .join(',')
}

const settingsOf = ({ session, trace }: Run): TransactionSettings => ({
  user: JSON.stringify(session.variables),
  trace: traceSetting(trace()),
})

/** Checks deferred constraints before the commit, so that a violation is answered like any statement's error. */
async function commit(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('COMMIT')
  } catch (error) {
    const known = postgresError(error, '$')
    if (known === undefined) throw error
    throw new RequestFailure(known, { cause: error })
  }
}

async function inTransaction<Result>(
  client: pg.PoolClient,
  settings: readonly Setting[],
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(`BEGIN; ${selectSettings(settings)}`)
  try {
    const result = await work()
    await commit(client)
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
