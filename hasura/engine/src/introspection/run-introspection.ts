import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql'
import type { Introspection } from './introspection-size.ts'

/**
 * Answers a group's fields (`__schema` or `__type`) from the schema.
 *
 * @throws GraphQLError for a null where an argument must not be null
 */
export function runIntrospection(
  { schema, fragments, variables }: Introspection,
  operation: OperationDefinitionNode,
  key: string,
  group: readonly FieldNode[],
): unknown {
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        ...operation,
        variableDefinitions: [],
        selectionSet: { kind: Kind.SELECTION_SET, selections: group },
      },
      ...fragments.values(),
    ],
  }
  const result = executeSync({ schema, document: withValues(document, variables) })
  if (result.errors?.[0]) throw result.errors[0]
  return result.data?.[key]
}

/** Replaces variables with their values, because graphql-js loses a variable named `__proto__`. */
const withValues = (document: DocumentNode, variables: Introspection['variables']): DocumentNode =>
  visit(document, { Variable: ({ name }) => literalOf(variables[name.value]) })

/** A literal. Arguments of introspection and of directives are texts and booleans. */
function literalOf(value: unknown): ValueNode {
  if (typeof value === 'string') return { kind: Kind.STRING, value }
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value }
  return { kind: Kind.NULL }
}
