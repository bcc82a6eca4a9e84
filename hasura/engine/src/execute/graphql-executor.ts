import { type GraphQLSchema, OperationTypeNode } from 'graphql'
import type pg from 'pg'
import type {
  GraphQLError,
  ExecuteOptions,
  GraphQLExecutor,
  GraphQLRequest,
  GraphQLResult,
} from '../graphql-request.ts'
import { parseOperation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { RequestError } from '../plan/request-error.ts'
import type { Session } from '../session/types.ts'
import { requestTrace } from '../tracing/trace-context.ts'
import type { Snapshot } from '../snapshot.ts'
import { type CompiledOperation, compileOperation } from './compile-operation.ts'
import { explainOperation } from './explain.ts'
import { type FieldPlan, type SubscriptionPlan, explainPlan } from './explain-plan.ts'
import { RefusedVariable, RequestFailure, failureOf } from './request-failure.ts'
import { type PreparedSubscription, prepareSubscription } from './prepare-subscription.ts'
import { actionSubscriptionGroups as actionGroups } from './action-subscription.ts'
import { RemoteFailure } from './remote-failure.ts'
import { type RoleRuntime, RoleSchemas, cachedDocument } from './role-schemas.ts'
import { validateInputs } from './validate-inputs.ts'
import type { GraphQLExecutorOptions } from './executor-options.ts'
import { keepableReads } from './keepable-reads.ts'
import { type Run, runOperation } from './run-operation.ts'

/** The part of the compiler that serves subscriptions. */
export interface SubscriptionCompiler {
  /** These are false also for an invalid document, whose execution returns the error. */
  readonly isSubscription: (request: GraphQLRequest, session: Session) => boolean
  readonly isQuery: (request: GraphQLRequest, session: Session) => boolean
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
  const runOf = (request: GraphQLRequest, session: Session, executeOptions: ExecuteOptions): Run => ({
    request,
    session,
    variables: (request.variables ?? {}) as Readonly<Record<string, JsonValue>>,
    executeOptions,
    pool,
    options,
    trace: requestTrace(executeOptions.clientHeaders, options.tracer),
  })
  const kindOf = (request: GraphQLRequest, session: Session): OperationTypeNode | undefined => {
    try {
      return cachedDocument(request, runtimeOf(request, session)).operation.definition.operation
    } catch (error) {
      if (failureOf(error) === undefined) throw error
      return undefined
    }
  }
  return {
    execute: async (request, session, executeOptions = {}) => {
      try {
        const run = runOf(request, session, executeOptions)
        const operate = () => execute(run, runtimeOf(request, session))
        const { tracer } = options
        return await (tracer === undefined ? operate() : tracer.span('hasura', {}, operate))
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
    isSubscription: (request, session) => kindOf(request, session) === OperationTypeNode.SUBSCRIPTION,
    isQuery: (request, session) => kindOf(request, session) === OperationTypeNode.QUERY,
    followsAction: (request, session) => actionGroups(request, runtimeOf(request, session)) !== undefined,
    readActionResult: async (request, session, executeOptions = {}) => {
      try {
        const operation = actionGroups(request, runtimeOf(request, session))
        if (operation === undefined) throw new RequestError('the action is no longer there', '$')
        return await runOperation(operation, runOf(request, session, executeOptions))
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

async function execute(run: Run, runtime: RoleRuntime): Promise<GraphQLResult> {
  const { request, session, variables, executeOptions, options } = run
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
  if (compiled.validations.length > 0)
    await validateInputs(compiled.validations, {
      environment: options.env,
      session,
      trace: run.trace(),
      ...executeOptions,
    })
  try {
    return (
      (await runObserved(compiled, run)) ??
      (await runAtReplica(compiled, run)) ??
      (await runOperation(compiled, run))
    )
  } catch (error) {
    if (!(error instanceof RefusedVariable)) throw error
    // Nothing has been written: parameters are bound before their statement runs, and a transaction that had begun
    // is rolled back. Planning with this request's values throws the client's error.
    compile()
    throw new RequestError('a variable does not fit its type', '$')
  }
}

/** Runs a query whose answer may be kept, at the primary. Undefined: its caller doesn't keep answers, or can't keep this one. */
async function runObserved(compiled: CompiledOperation, run: Run): Promise<GraphQLResult | undefined> {
  const { session, variables, executeOptions, options } = run
  if (executeOptions.wantsValidity !== true || options.readObserver === undefined) return undefined
  const reads = keepableReads(compiled, { variables, session })
  return reads && options.readObserver.observe(reads, session, () => runOperation(compiled, run))
}

/** The header of a client that takes an answer from a standby, which may be a little old. */
const replicaHeader = 'x-read-replica'

/**
 * Runs a query at a standby, if its client allows it and one is fresh. Undefined: the primary has to answer. That is so after any
 * failure, too: a query has no effects, and the standby may be going away, or not know a new table yet.
 */
async function runAtReplica(compiled: CompiledOperation, run: Run): Promise<GraphQLResult | undefined> {
  const { clientHeaders = {}, signal } = run.executeOptions
  if (compiled.kind !== 'query' || clientHeaders[replicaHeader] !== 'allowed') return undefined
  const pool = run.options.replicas?.choose()
  if (pool === undefined) return undefined
  try {
    return await runOperation(compiled, { ...run, pool })
  } catch (error) {
    if (signal?.aborted === true) throw error
    run.options.logger?.debug({ err: error }, 'a replica failed; the primary answers in its place')
    return undefined
  }
}
