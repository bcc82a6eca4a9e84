import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { directiveValues } from './argument-values.ts'

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export interface SelectionScope {
  readonly schema: GraphQLSchema
  readonly fragments: Fragments
  /** Coerced variables, for `@skip` and `@include`. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** The field nodes that share a response key. They have the same field and arguments: validation made sure. */
export type FieldGroup = readonly [FieldNode, ...FieldNode[]]

/** The fields that are selected of an object type, by response key and in the order of the document. */
export function collectFields(
  scope: SelectionScope,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): ReadonlyMap<string, FieldGroup> {
  const groups = new Map<string, FieldGroup>()
  const visited = new Set<string>()
  for (const { selections } of selectionSets) collect(scope, type, selections, groups, visited)
  return groups
}

/** The selection sets of all fields of a group. */
export const selectionSetsOf = (group: FieldGroup): readonly SelectionSetNode[] =>
  group.flatMap(({ selectionSet }) => selectionSet ?? [])

function collect(
  scope: SelectionScope,
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  groups: Map<string, FieldGroup>,
  visited: Set<string>,
): void {
  for (const selection of selections) {
    if (!isIncluded(scope, selection)) continue
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value
      const group = groups.get(key)
      groups.set(key, group ? [...group, selection] : [selection])
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      if (applies(scope, type, selection.typeCondition?.name.value))
        collect(scope, type, selection.selectionSet.selections, groups, visited)
    } else {
      const name = selection.name.value
      const fragment = scope.fragments.get(name)
      if (!fragment || visited.has(name) || !applies(scope, type, fragment.typeCondition.name.value)) continue
      visited.add(name)
      collect(scope, type, fragment.selectionSet.selections, groups, visited)
    }
  }
}

function isIncluded({ variables }: SelectionScope, node: SelectionNode): boolean {
  if (!node.directives?.length) return true
  if (directiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false
  return directiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
}

function applies(
  { schema }: SelectionScope,
  type: GraphQLObjectType,
  condition: string | undefined,
): boolean {
  if (condition === undefined || condition === type.name) return true
  const conditionType = schema.getType(condition)
  return isAbstractType(conditionType) && schema.isSubType(conditionType, type)
}
