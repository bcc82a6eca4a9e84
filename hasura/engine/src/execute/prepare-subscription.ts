import type { GraphQLRequest } from '../graphql-request.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { RequestError } from '../plan/request-error.ts'
import type { Session } from '../session/types.ts'
import type { StatementReads } from '../sql/statement-reads.ts'
import { type Bindings, bindParameters } from './bind-parameters.ts'
import { type CompiledSubscription, compileSubscription } from './compile-subscription.ts'
import type { CompiledStatement } from './compile.ts'
import { type RoleRuntime, cachedDocument } from './role-schemas.ts'
import { missingSessionVariables } from './run-field.ts'

/** One subscriber's share of a live query: a statement shared with other subscribers, and its own values. */
export interface PreparedSubscription {
  readonly kind: CompiledSubscription['kind']
  readonly statement: CompiledStatement
  readonly reads: StatementReads
  readonly values: readonly (string | null)[]
  /** Positions of the values that advance with a stream. */
  readonly cursorPositions: readonly number[]
}

/** Plans and binds a subscription. Throws RequestError for a client's mistake. */
export function prepareSubscription(
  request: GraphQLRequest,
  session: Session,
  runtime: RoleRuntime,
  stringifyNumbers: boolean,
): PreparedSubscription {
  const variables = (request.variables ?? {}) as Readonly<Record<string, JsonValue>>
  const document = cachedDocument(request, runtime)
  const compile = (): CompiledSubscription =>
    compileSubscription(document.operation, variables, runtime.roleSchema, stringifyNumbers)
  const key = `${document.id} ${document.signature(variables)}`
  const known = runtime.subscriptions.get(key)
  const compiled = known ?? compile()
  const { kind, statement, reads, initialCursor } = compiled
  if (known === undefined)
    runtime.subscriptions.set(key, compiled, {
      size: key.length + statement.text.length,
    })
  const bindings: Bindings = { variables, session }
  const cursor = initialCursor === undefined ? [] : bind([initialCursor], bindings, compile)
  return {
    kind,
    statement,
    reads,
    values: bind(statement.parameters, { ...bindings, cursor: cursor[0] ?? null }, compile),
    cursorPositions: statement.parameters.flatMap((source, index) =>
      source.kind === 'cursor' ? [index] : [],
    ),
  }
}

function bind(
  sources: CompiledStatement['parameters'],
  bindings: Bindings,
  compile: () => unknown,
): readonly (string | null)[] {
  const bound = bindParameters(sources, bindings)
  switch (bound.kind) {
    case 'bound':
      return bound.values
    case 'missing-session-variables':
      throw missingSessionVariables(bound.names)
    case 'refused-variable':
      // Planning with this request's values throws the client's error.
      compile()
      throw new RequestError('a variable does not fit its type', '$')
    default:
      return bound satisfies never
  }
}
