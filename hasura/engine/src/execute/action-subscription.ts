import type { JsonValue } from '../plan/input-value.ts'
import { planOperation } from '../plan/plan-operation.ts'
import type { GraphQLRequest } from '../graphql-request.ts'
import type { CompiledOperation, FieldGroup } from './compile-operation.ts'
import { type RoleRuntime, cachedDocument } from './role-schemas.ts'

/**
 * The field groups of a subscription to results of asynchronous actions; undefined for every other subscription. Such
 * results are read from the log of actions, not by the statements of live queries. Throws RequestError.
 */
export function actionSubscriptionGroups(
  request: GraphQLRequest,
  runtime: RoleRuntime,
): Pick<CompiledOperation, 'kind' | 'groups' | 'joins'> | undefined {
  const { roleSchema } = runtime
  if (!hasActionResults(roleSchema)) return undefined
  const { operation } = cachedDocument(request, runtime)
  const variables = (request.variables ?? {}) as Readonly<Record<string, JsonValue>>
  const { fields, scope } = planOperation(operation, variables, roleSchema)
  const resultGroups = fields.flatMap((field): FieldGroup[] =>
    field.kind === 'action-result'
      ? [{ kind: 'action', field: { key: field.key, kind: 'action', action: field, scope } }]
      : [],
  )
  return resultGroups.length > 0 && resultGroups.length === fields.length
    ? { kind: 'query', groups: resultGroups, joins: scope.joins }
    : undefined
}

/** Without asynchronous actions in the schema, a subscription need not be planned twice. */
const hasActionResults = ({ schema }: RoleRuntime['roleSchema']): boolean =>
  Object.values(schema.getSubscriptionType()?.getFields() ?? {}).some(
    ({ extensions }) => extensions.meaning?.kind === 'action-result',
  )
