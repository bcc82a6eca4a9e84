import { type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql'
import type { RoleSchema } from '../schema/role-schema.ts'
import { type CollectedField, collectFields, maxSelectedFields } from './collect-fields.ts'
import { readDirectives } from './directives.ts'
import type { Operation } from './document.ts'
import type { JsonValue } from './input-value.ts'
import { type OperationRoot, planRootField } from './plan-root-field.ts'
import { fieldOf, objectTypeOf } from './field-of.ts'
import { planRowFields } from './plan-select.ts'
import type { SelectScope } from './select-scope.ts'
import { JoinRegistry } from './remote-joins.ts'
import { RequestError } from './request-error.ts'
import type { RootField } from './root-field.ts'
import { readVariables } from './variables.ts'

export interface OperationPlan {
  readonly kind: OperationRoot['kind']
  readonly fields: readonly RootField[]
  readonly scope: SelectScope
}

/**
 * Plans a tree for each root field of an operation. Throws RequestError, in Hasura's words, for an invalid operation.
 */
export function planOperation(
  operation: Operation,
  given: Readonly<Record<string, JsonValue>>,
  { schema, access, source }: RoleSchema,
): OperationPlan {
  const { definition, fragments } = operation
  const root = rootType(definition, schema)
  const directives = (definition.directives ?? []).filter(({ name }) => name.value !== severalFields)
  const variables = readVariables(operation, given)
  readDirectives(directives, location(definition), { schema, variables }, '$')
  const budget = { fields: maxSelectedFields }
  const scope: SelectScope = {
    schema,
    access,
    source,
    fragments,
    variables,
    budget,
    joins: new JoinRegistry(),
    planRowFields,
  }
  const fields = collectFields([definition.selectionSet], root.type, scope, '$.selectionSet').flatMap(
    (collected) => planTopField(root, collected, scope),
  )
  if (
    root.kind === 'subscription' &&
    fields.length !== 1 &&
    directives.length === definition.directives?.length
  )
    throw new RequestError('subscriptions must select one top level field', '$')
  return { kind: root.kind, fields, scope }
}

/** Hasura's directive for subscriptions with several root fields. Its schema doesn't show it. */
const severalFields = '_multiple_top_level_fields'

const location = ({ operation }: OperationDefinitionNode) =>
  operation === OperationTypeNode.QUERY
    ? 'QUERY'
    : operation === OperationTypeNode.MUTATION
      ? 'MUTATION'
      : 'SUBSCRIPTION'

function rootType({ operation }: OperationDefinitionNode, schema: GraphQLSchema): OperationRoot {
  const query = schema.getQueryType()
  const mutation = schema.getMutationType()
  if (operation === OperationTypeNode.QUERY && query != null) return { kind: 'query', type: query }
  if (operation === OperationTypeNode.MUTATION && mutation != null)
    return { kind: 'mutation', type: mutation }
  if (operation === OperationTypeNode.MUTATION) throw new RequestError('no mutations exist', '$')
  const subscription = schema.getSubscriptionType()
  if (subscription != null) return { kind: 'subscription', type: subscription }
  throw new RequestError('no subscriptions exist', '$')
}

/** The field itself, or the source's root fields selected below it. */
function planTopField(
  root: OperationRoot,
  collected: CollectedField,
  scope: SelectScope,
): readonly RootField[] {
  const declared = root.type.getFields()[collected.name]
  if (declared?.extensions.meaning?.kind !== 'source-namespace')
    return [planRootField(root, collected, scope)]
  const { field } = fieldOf(root.type, collected)
  const { key, selections, path } = collected
  const inner: OperationRoot = { kind: root.kind, type: objectTypeOf(field.type) }
  const below = collectFields(selections, inner.type, scope, `${path}.selectionSet`)
  return below.map((each, index) => ({
    ...planRootField(inner, each, scope),
    namespace: { key, isFirst: index === 0, isLast: index === below.length - 1 },
  }))
}
