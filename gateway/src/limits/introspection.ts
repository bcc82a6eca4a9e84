import { introspectionSize } from '@commerce-graph/data-layer'
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'

/** How many values the `__schema` and `__type` of an operation answer. Above the bound it is only known to be larger. */
export type IntrospectedValues = (variables: Readonly<Record<string, unknown>>) => number

/**
 * Introspection has a bound of its own, because it grows with the contract and not with what a client asks for. It
 * takes no SQL, only the schema in memory, so one of its values costs half of what one of an answer's rows does.
 */
export const introspectedValuesPerValue = 2

export const isIntrospection = ({ name: { value } }: FieldNode): boolean =>
  value === SchemaMetaFieldDef.name || value === TypeMetaFieldDef.name

/**
 * Counts the introspection of a valid operation in the schema, whose lists have the lengths that they have.
 *
 * @param max the bound over the whole document: counting ends there
 */
export function introspectedValuesOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  max: number,
): IntrospectedValues {
  const nodes = introspectionAt(operation.selectionSet, fragments, new Set())
  if (nodes.length === 0) return () => 0
  const count: IntrospectedValues = (variables) => {
    let values = 0
    for (const node of nodes)
      values += introspectionSize({ schema, fragments, variables }, node, Math.max(0, max - values))
    return values
  }
  if ((operation.variableDefinitions ?? []).length > 0) return count
  const always = count({})
  return () => always
}

/** Introspection's fields stand at the root alone. A fragment that is spread twice selects them once. */
const introspectionAt = (
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  visited: Set<string>,
): readonly FieldNode[] =>
  selections.flatMap((selection) => {
    switch (selection.kind) {
      case Kind.FIELD:
        return isIntrospection(selection) ? [selection] : []
      case Kind.INLINE_FRAGMENT:
        return introspectionAt(selection.selectionSet, fragments, visited)
      case Kind.FRAGMENT_SPREAD: {
        const name = selection.name.value
        const fragment = fragments.get(name)
        if (!fragment || visited.has(name)) return []
        visited.add(name)
        return introspectionAt(fragment.selectionSet, fragments, visited)
      }
    }
  })
