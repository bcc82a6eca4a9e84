import type pg from 'pg'
import { type CompiledStatement, compileStatement } from '../execute/compile.ts'
import { withConnection } from '../execute/lend-connection.ts'
import { failureOf } from '../execute/request-failure.ts'
import { runBound } from '../execute/run-field.ts'
import type { TransactionSettings } from '../execute/statement-query.ts'
import { HasuraError, isErrorCode } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import type { PlanScope } from '../plan/plan-scope.ts'
import { parseExactly } from '../exact-json.ts'
import { roleParents } from '../schema/inherited-permissions.ts'
import { createRoleAccess } from '../schema/role-access.ts'
import type { SourceModel } from '../schema/source-model.ts'
import { buildSourceModel } from '../schema/build-source-model.ts'
import type { Session } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { mutationStatement } from '../sql/mutation-statement.ts'
import { selectStatement } from '../sql/select-expression.ts'
import { type TraceContext, traceSetting } from '../tracing/trace-context.ts'
import { planRowDelete, planRowInsert, planRowUpdate } from './plan-row-mutation.ts'
import { planRowCount, planRowSelect } from './plan-row-query.ts'
import type { RowCommand } from './row-command.ts'

/** The session and trace of a command, and the snapshot that answers it. */
export interface RowCaller {
  readonly snapshot: Snapshot
  readonly session: Session
  readonly trace: () => TraceContext
  /** Aborting cancels the statement in Postgres. */
  readonly signal?: AbortSignal | undefined
}

/**
 * `select`, `insert`, `update`, `delete` and `count` of `/v1/query` and `/v2/query`. They are planned as the same trees
 * as GraphQL, under the same permissions, and answered by one statement.
 */
export interface RowCommands {
  /** Runs a command in a transaction of its own. Throws HasuraError with a path that begins at the arguments. */
  run(command: RowCommand, caller: RowCaller): Promise<Json>
}

export interface RowCommandOptions {
  /** HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES. */
  readonly stringifyNumericTypes: boolean
}

export function createRowCommands(pool: pg.Pool, options: RowCommandOptions): RowCommands {
  const sources = new WeakMap<Snapshot, SourceModel>()
  const sourceOf = (snapshot: Snapshot): SourceModel => {
    const known = sources.get(snapshot)
    if (known !== undefined) return known
    const made = buildSourceModel(snapshot.metadata, snapshot.catalog)
    sources.set(snapshot, made)
    return made
  }
  return {
    run: async (command, { snapshot, session, trace, signal }) => {
      requireSource(command, snapshot)
      const scope = scopeOf(snapshot, sourceOf(snapshot), session)
      const reads = command.kind === 'select' || command.kind === 'count'
      const bindings = {
        variables: {},
        session,
        ...(reads ? {} : { settings: settingsOf(session, trace()) }),
      }
      try {
        const statement = compileRowCommand(command, scope, options.stringifyNumericTypes)
        requireSession(statement, session)
        const rows = await withConnection(pool, signal, (client) =>
          runBound(client, statement, bindings, '$'),
        )
        // The text is Postgres's JSON.
        return parseExactly(rows[0]?.[0] ?? 'null') as Json
      } catch (error) {
        throw refusalOf(error)
      }
    },
  }
}

const settingsOf = (session: Session, trace: TraceContext): TransactionSettings => ({
  user: JSON.stringify(session.variables),
  trace: traceSetting(trace),
})

function requireSource({ source }: RowCommand, { metadata }: Snapshot): void {
  if (!metadata.sources.some(({ name }) => name === source))
    throw new HasuraError('not-exists', `source with name "${source}" does not exist`)
}

/** The session's scope. Only permissions matter, because commands use Postgres's names of tables and columns. */
export const scopeOf = (
  { metadata }: Snapshot,
  source: SourceModel,
  { role, backendOnlyPermissions }: Session,
): PlanScope => ({
  source,
  access: createRoleAccess(source, {
    role,
    backendOnly: backendOnlyPermissions,
    inferFunctionPermissions: false,
    parents: roleParents(metadata),
    mayIntrospect: false,
  }),
})

/** Plans a command and compiles its statement, whose only value is the finished JSON. Throws HasuraError. */
export function compileRowCommand(
  command: RowCommand,
  scope: PlanScope,
  stringifyNumbers: boolean,
): CompiledStatement {
  switch (command.kind) {
    case 'select': {
      const plan = planRowSelect(command, scope)
      return compileStatement(stringifyNumbers, (translation) => selectStatement(plan, translation))
    }
    case 'count': {
      const plan = planRowCount(command, scope)
      return compileStatement(stringifyNumbers, (translation) => selectStatement(plan, translation))
    }
    case 'insert': {
      const plan = planRowInsert(command, scope)
      return compileStatement(stringifyNumbers, (translation) => mutationStatement(plan, translation))
    }
    case 'update': {
      const plan = planRowUpdate(command, scope)
      return compileStatement(stringifyNumbers, (translation) => mutationStatement(plan, translation))
    }
    case 'delete': {
      const plan = planRowDelete(command, scope)
      return compileStatement(stringifyNumbers, (translation) => mutationStatement(plan, translation))
    }
    default:
      return command satisfies never
  }
}

/** Refuses a session without a permission's variable. Hasura's message differs from the one in GraphQL. */
function requireSession({ parameters }: CompiledStatement, { variables }: Session): void {
  for (const source of parameters)
    if (source.kind === 'session' && variables[source.name] === undefined)
      throw new HasuraError('not-found', `"${source.name}" header is expected but not found`)
}

/** A HasuraError for an error of Postgres, or for a command nested too deeply; any other error unchanged. */
function refusalOf(error: unknown): unknown {
  const failure = failureOf(error)
  if (failure === undefined) return error
  const { code } = failure.extensions
  const known = code !== undefined && isErrorCode(code) ? code : 'unexpected'
  return new HasuraError(known, failure.message, { status: known === 'unexpected' ? 500 : 400 })
}
