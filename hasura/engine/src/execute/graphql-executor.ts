import { type GraphQLSchema, OperationTypeNode } from 'graphql'
import pg from 'pg'
import { type ActionRuntime, answerAction } from '../actions/run-action.ts'
import type {
  GraphQLError,
  ExecuteOptions,
  GraphQLExecutor,
  GraphQLRequest,
  GraphQLResult,
} from '../graphql-request.ts'
import { parseOperation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { RootFieldPlace } from '../plan/root-field.ts'
import { RequestError } from '../plan/request-error.ts'
import type { NamingConvention } from '../schema/naming.ts'
import type { JoinRegistry } from '../plan/remote-joins.ts'
import type { RemoteCaller } from '../remote/send-remote.ts'
import type { Session } from '../session/types.ts'
import { type TraceContext, requestTrace, traceSetting } from '../tracing/trace-context.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Bindings } from './bind-parameters.ts'
import { type CompiledOperation, type FieldGroup, compileOperation } from './compile-operation.ts'
import { explainOperation } from './explain.ts'
import { type FieldPlan, type SubscriptionPlan, explainPlan } from './explain-plan.ts'
import { postgresError } from './postgres-error.ts'
import { RefusedVariable, RequestFailure, failureOf } from './request-failure.ts'
import { type PreparedSubscription, prepareSubscription } from './prepare-subscription.ts'
import { actionSubscriptionGroups as actionGroups } from './action-subscription.ts'
import type { SchemaFeature } from '../schema/schema-feature.ts'
import { RemoteFailure } from './remote-failure.ts'
import { resolveJoins } from './resolve-joins.ts'
import { runRemoteFields } from './run-remote-fields.ts'
import { type RoleRuntime, RoleSchemas, cachedDocument } from './role-schemas.ts'
import { withConnection } from './lend-connection.ts'
import { runField } from './run-field.ts'
import { retryAborted } from './retry-aborted.ts'
import type { TransactionSettings } from './statement-query.ts'
import { validateInputs } from './validate-inputs.ts'

/** The roles whose errors include Postgres's own message (HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS, _DEV_MODE). */
export type InternalErrors = 'none' | 'admin' | 'all'

export interface GraphQLExecutorOptions {
  /** Default: no role. */
  readonly internalErrors?: InternalErrors | undefined
  /** HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES. */
  readonly stringifyNumericTypes: boolean
  /** HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS. */
  readonly inferFunctionPermissions: boolean
  /** HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION. */
  readonly defaultNamingConvention?: NamingConvention | undefined
  /** HASURA_GRAPHQL_ENABLE_ALLOWLIST. */
  readonly enableAllowlist: boolean
  /** HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS. */
  readonly remoteSchemaPermissions?: boolean | undefined
  /** HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION. */
  readonly apolloFederation?: boolean | undefined
  /** HASURA_GRAPHQL_EXPERIMENTAL_FEATURES. */
  readonly experimentalFeatures?: readonly SchemaFeature[] | undefined
  /** HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA. */
  readonly prioritizeRemoteData?: boolean | undefined
  /** The variables of `{{NAME}}` and `value_from_env`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The part of the compiler that serves subscriptions. */
export interface SubscriptionCompiler {
  /** False also for an invalid document, whose execution returns the error. */
  readonly isSubscription: (request: GraphQLRequest, session: Session) => boolean
  /** Whether it is a subscription to the result of an asynchronous action. Throws RequestError. */
  readonly followsAction: (request: GraphQLRequest, session: Session) => boolean
  /** The present answer of such a subscription. */
  readonly readActionResult: (
    request: GraphQLRequest,
    session: Session,
    options?: ExecuteOptions,
  ) => Promise<GraphQLResult>
  /** Throws RequestError. */
  readonly prepareSubscription: (request: GraphQLRequest, session: Session) => PreparedSubscription
}

/** The part of the compiler that describes operations. */
export interface Inspector {
  /** A role's schema of `/v1/graphql`. */
  readonly schemaOf: (session: Session) => GraphQLSchema
  /** See `explainPlan`. The allow-list is ignored, because only admin may call it. */
  readonly explainPlan: (
    request: GraphQLRequest,
    session: Session,
    options?: ExecuteOptions,
  ) => Promise<readonly FieldPlan[] | SubscriptionPlan>
}

/**
 * Compiles GraphQL operations to SQL and runs them. A client's mistake is a result; `execute` throws when the engine or
 * its connection to the database fails.
 */
export function createGraphQLExecutor(
  getSnapshot: () => Snapshot,
  pool: pg.Pool,
  options: GraphQLExecutorOptions,
): GraphQLExecutor & SubscriptionCompiler & Inspector {
  const roles = new RoleSchemas(options)
  const runtimeOf = ({ api = 'graphql' }: GraphQLRequest, session: Session): RoleRuntime =>
    roles.of(getSnapshot(), session, api)
  return {
    execute: async (request, session, executeOptions = {}) => {
      try {
        return await execute(request, session, executeOptions, runtimeOf(request, session), pool, options)
      } catch (error) {
        return failedResult(error, session, options)
      }
    },
    explain: (request, session) => {
      const { roleSchema } = runtimeOf(request, session)
      const variables = (request.variables ?? {}) as Readonly<Record<string, JsonValue>>
      const operation = parseOperation(request.query, request.operationName)
      const compiled = compileOperation(operation, variables, roleSchema, options.stringifyNumericTypes)
      return explainOperation(compiled, { variables, session })
    },
    schemaOf: (session) => roles.of(getSnapshot(), session, 'graphql').roleSchema.schema,
    explainPlan: (request, session, { signal } = {}) => {
      const { roleSchema } = runtimeOf(request, session)
      const stringifyNumbers = options.stringifyNumericTypes
      return explainPlan(request, session, { pool, roleSchema, stringifyNumbers, signal })
    },
    isSubscription: (request, session) => {
      try {
        const { operation } = cachedDocument(request, runtimeOf(request, session))
        return operation.definition.operation === OperationTypeNode.SUBSCRIPTION
      } catch (error) {
        if (failureOf(error) === undefined) throw error
        return false
      }
    },
    followsAction: (request, session) => actionGroups(request, runtimeOf(request, session)) !== undefined,
    readActionResult: async (request, session, executeOptions = {}) => {
      try {
        const operation = actionGroups(request, runtimeOf(request, session))
        if (operation === undefined) throw new RequestError('the action is no longer there', '$')
        const variables = (request.variables ?? {}) as Readonly<Record<string, JsonValue>>
        const trace = requestTrace(executeOptions.clientHeaders)
        const run: Run = { request, session, variables, executeOptions, pool, options, trace }
        return await runOperation(operation, run)
      } catch (error) {
        return failedResult(error, session, options)
      }
    },
    prepareSubscription: (request, session) =>
      prepareSubscription(request, session, runtimeOf(request, session), options.stringifyNumericTypes),
  }
}

/** The result for a thrown refusal. Throws `error` again when it is a bug or a broken connection. */
function failedResult(error: unknown, session: Session, options: GraphQLExecutorOptions): GraphQLResult {
  if (error instanceof RemoteFailure) return { kind: 'errors', stage: 'remote', errors: error.errors }
  const failure = failureOf(error)
  if (failure === undefined) throw error
  const stage = error instanceof RequestFailure ? 'execution' : 'request'
  return { kind: 'errors', stage, errors: [withInternal(failure, session, options)] }
}

/**
 * Adds Postgres's error as `internal`, which Hasura does for errors that it has no wording for. The statement is left
 * out, because it holds the client's values.
 */
function withInternal(
  error: GraphQLError,
  { isAdmin }: Session,
  { internalErrors }: GraphQLExecutorOptions,
): GraphQLError {
  const isShown = internalErrors === 'all' || (internalErrors === 'admin' && isAdmin)
  if (!isShown) return error
  if (error.internal !== undefined)
    return { ...error, extensions: { ...error.extensions, internal: error.internal } }
  if (error.database === undefined || error.extensions.code !== 'unexpected') return error
  const { sqlState, message, detail, hint } = error.database
  const internal = {
    error: {
      exec_status: 'FatalError',
      hint: hint ?? null,
      message,
      status_code: sqlState,
      description: detail ?? null,
    },
  }
  return { ...error, extensions: { ...error.extensions, internal } }
}

async function execute(
  request: GraphQLRequest,
  session: Session,
  executeOptions: ExecuteOptions,
  runtime: RoleRuntime,
  pool: pg.Pool,
  options: GraphQLExecutorOptions,
): Promise<GraphQLResult> {
  const variables = (request.variables ?? {}) as Readonly<Record<string, JsonValue>>
  const document = cachedDocument(request, runtime)
  if (document.operation.definition.operation === OperationTypeNode.SUBSCRIPTION)
    throw new RequestError(
      'subscriptions are not supported over HTTP, use websockets instead',
      '$',
      'unexpected-payload',
    )
  const compile = (): CompiledOperation =>
    compileOperation(document.operation, variables, runtime.roleSchema, options.stringifyNumericTypes)
  const key = `${document.id} ${document.signature(variables)}`
  const known = runtime.plans.get(key)
  const compiled = known ?? compile()
  if (known === undefined && compiled.reusable)
    runtime.plans.set(key, compiled, { size: key.length + compiled.textLength })
  const trace = requestTrace(executeOptions.clientHeaders)
  const run: Run = { request, session, variables, executeOptions, pool, options, trace }
  if (compiled.validations.length > 0)
    await validateInputs(compiled.validations, {
      environment: options.env,
      session,
      trace: run.trace(),
      ...executeOptions,
    })
  try {
    return await runOperation(compiled, run)
  } catch (error) {
    if (!(error instanceof RefusedVariable)) throw error
    // Nothing has been written: parameters are bound before their statement runs, and a transaction that had begun
    // is rolled back. Planning with this request's values throws the client's error.
    compile()
    throw new RequestError('a variable does not fit its type', '$')
  }
}

interface Run {
  readonly request: GraphQLRequest
  readonly session: Session
  readonly variables: Readonly<Record<string, JsonValue>>
  readonly executeOptions: ExecuteOptions
  readonly pool: pg.Pool
  readonly options: GraphQLExecutorOptions
  readonly trace: () => TraceContext
}

async function runOperation(
  { groups, joins }: Pick<CompiledOperation, 'groups' | 'joins'>,
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
  return cookies.length === 0
    ? { kind: 'data', json }
    : { kind: 'data', json, headers: { 'set-cookie': cookies } }
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
  session,
  requestQuery: request.query,
  stringifyNumbers: options.stringifyNumericTypes,
  ...executeOptions,
})

type DatabaseGroup = Extract<FieldGroup, { kind: 'database' }>

/** Runs a group's fields. Returns their entries of the answer. */
function runDatabaseGroup({ fields, isolation }: DatabaseGroup, run: Run): Promise<string> {
  const { variables, session, pool } = run
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
      return withConnection(pool, signal, (client) => entries(client, { variables, session }))
    case 'single-write': {
      const settings = settingsOf(run)
      return retryAborted(() =>
        withConnection(pool, signal, (client) => entries(client, { variables, session, settings })),
      )
    }
    case 'transaction': {
      const settings = settingsOf(run)
      return retryAborted(() =>
        withConnection(pool, signal, (client) =>
          inTransaction(client, settings, () => entries(client, { variables, session })),
        ),
      )
    }
    default:
      return isolation satisfies never
  }
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
    throw new RequestFailure(known)
  }
}

async function inTransaction<Result>(
  client: pg.PoolClient,
  { user, trace }: TransactionSettings,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(
    `BEGIN; SET LOCAL "hasura.user" = ${pg.escapeLiteral(user)}; SET LOCAL "hasura.tracecontext" = ${pg.escapeLiteral(trace)}`,
  )
  try {
    const result = await work()
    await commit(client)
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
