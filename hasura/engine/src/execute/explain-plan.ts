import { OperationTypeNode } from 'graphql'
import type pg from 'pg'
import type { GraphQLRequest } from '../graphql-request.ts'
import { HasuraError } from '../hasura-error.ts'
import { batchParameters } from '../live/batch.ts'
import { type Operation, parseOperation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { RootFieldPlace } from '../plan/root-field.ts'
import type { RoleSchema } from '../schema/role-schema.ts'
import type { Session } from '../session/types.ts'
import { inlineParameters } from '../sql/inline-parameters.ts'
import type { ParameterSource } from '../sql/parameter.ts'
import { type Bindings, bindParameters } from './bind-parameters.ts'
import { type FieldGroup, compileOperation } from './compile-operation.ts'
import { compileSubscription } from './compile-subscription.ts'
import type { CompiledStatement } from './compile.ts'
import { withConnection } from './lend-connection.ts'
import { postgresError } from './postgres-error.ts'
import { RequestFailure } from './request-failure.ts'
import { missingSessionVariables } from './run-field.ts'

/** A root field of a query, its statement and Postgres's plan. Both are null when no table is read. */
export interface FieldPlan {
  readonly field: string
  readonly sql: string | null
  readonly plan: readonly string[] | null
}

export interface SubscriptionPlan {
  readonly sql: string
  readonly plan: readonly string[]
  /** The values that differ between subscribers of one statement, in Postgres's text format. */
  readonly variables: {
    /** Values written in the document. */
    readonly synthetic: readonly (string | null)[]
    readonly query: Readonly<Record<string, string | null>>
    readonly session: Readonly<Record<string, string | null>>
  }
}

export interface ExplainContext {
  readonly pool: pg.Pool
  readonly roleSchema: RoleSchema
  readonly stringifyNumbers: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * The answer of the Explain API: a list with a plan for each root field of a query, or the plan of a subscription. It
 * runs only EXPLAIN, never the statement. Throws HasuraError, in Hasura's words, for operations that can't be
 * explained, and RequestError for those that `execute` would refuse.
 */
export async function explainPlan(
  request: GraphQLRequest,
  session: Session,
  context: ExplainContext,
): Promise<readonly FieldPlan[] | SubscriptionPlan> {
  const variables = (request.variables ?? {}) as Readonly<Record<string, JsonValue>>
  const operation = parseOperation(request.query, request.operationName)
  const input: ExplainInput = { operation, variables, session }
  switch (operation.definition.operation) {
    case OperationTypeNode.MUTATION:
      throw new HasuraError('invalid-params', 'only queries can be explained')
    case OperationTypeNode.QUERY:
      return explainQuery(input, context)
    case OperationTypeNode.SUBSCRIPTION:
      return explainSubscription(input, context)
  }
}

interface ExplainInput {
  readonly operation: Operation
  readonly variables: Readonly<Record<string, JsonValue>>
  readonly session: Session
}

async function explainQuery(
  { operation, variables, session }: ExplainInput,
  context: ExplainContext,
): Promise<readonly FieldPlan[]> {
  const compiled = compileOperation(operation, variables, context.roleSchema, context.stringifyNumbers)
  if (compiled.joins.joins.length > 0)
    throw new HasuraError('invalid-params', 'queries with remote relationships cannot be explained')
  const plans: FieldPlan[] = []
  for (const { field, statement } of compiled.groups.flatMap(explainedFields)) {
    const values = statement && boundValues(statement.parameters, { variables, session })
    const sql = statement && values && inlineParameters(statement.text, values)
    plans.push(
      sql === undefined
        ? { field, sql: null, plan: null }
        : { field, sql, plan: await askPlan(sql, context) },
    )
  }
  return plans
}

interface ExplainedField {
  readonly field: string
  /** Absent when no table is read. */
  readonly statement?: CompiledStatement
}

function explainedFields(group: FieldGroup): readonly ExplainedField[] {
  switch (group.kind) {
    case 'remote':
      throw new HasuraError('invalid-params', 'only hasura queries can be explained')
    case 'action':
      throw new HasuraError('invalid-params', 'query actions cannot be explained')
    case 'text':
      return group.fields.map((field) => ({ field: nameOf(field) }))
    case 'database':
      return group.fields.map((field) =>
        field.kind === 'database' && field.field.kind === 'statement'
          ? { field: nameOf(field), statement: field.field.statement }
          : { field: nameOf(field) },
      )
    default:
      return group satisfies never
  }
}

const nameOf = ({ key, namespace }: Omit<RootFieldPlace, 'path'>): string =>
  namespace === undefined ? key : `${namespace.key}.${key}`

/** Explains a subscription's statement with one subscriber. */
async function explainSubscription(
  { operation, variables, session }: ExplainInput,
  context: ExplainContext,
): Promise<SubscriptionPlan> {
  const compiled = compileSubscription(operation, variables, context.roleSchema, context.stringifyNumbers)
  const { parameters, text } = compiled.statement
  const [cursor = null] = compiled.initialCursor
    ? boundValues([compiled.initialCursor], { variables, session })
    : []
  const values = boundValues(parameters, { variables, session, cursor })
  const sql = inlineParameters(text, batchParameters(parameters.length, [{ values }]))
  return { sql, plan: await askPlan(sql, context), variables: subscriptionVariables(parameters, values) }
}

function boundValues(parameters: readonly ParameterSource[], bindings: Bindings): readonly (string | null)[] {
  const bound = bindParameters(parameters, bindings)
  switch (bound.kind) {
    case 'bound':
      return bound.values
    case 'missing-session-variables':
      throw missingSessionVariables(bound.names)
    case 'refused-variable':
      throw new Error('compiling has checked the variables')
    default:
      return bound satisfies never
  }
}

function subscriptionVariables(
  parameters: readonly ParameterSource[],
  values: readonly (string | null)[],
): SubscriptionPlan['variables'] {
  const bound = parameters.map((source, index) => ({ source, value: values[index] ?? null }))
  return {
    synthetic: bound.filter(({ source }) => source.kind === 'literal').map(({ value }) => value),
    query: Object.fromEntries(
      bound.flatMap(({ source, value }) =>
        source.kind === 'variable' ? [[source.path.join('.'), value] as const] : [],
      ),
    ),
    session: Object.fromEntries(
      bound.flatMap(({ source, value }) =>
        source.kind === 'session' ? [[source.name, value] as const] : [],
      ),
    ),
  }
}

/** Postgres's plan of a statement, which isn't run. */
const askPlan = (sql: string, { pool, signal }: ExplainContext): Promise<readonly string[]> =>
  withConnection(pool, signal, async (client) => {
    try {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`)
      return rows.map((row) => row['QUERY PLAN'])
    } catch (error) {
      const known = postgresError(error, '$')
      throw known === undefined ? error : new RequestFailure(known, { cause: error })
    }
  })
