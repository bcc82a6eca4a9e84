import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  isUnionType,
  print,
} from 'graphql'
import { isIncluded } from './directives.ts'
import type { JoinRegistry } from './remote-joins.ts'
import { RequestError } from './request-error.ts'
import type { Variables } from './variables.ts'

/** The parts of a request that planners need beside the current piece of the document. */
export interface DocumentScope {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Variables
  /** How many more fields the operation may select. Planning counts it down. */
  readonly budget: { fields: number }
  /** Relationships that lead out of a source or remote schema, collected by the planning. */
  readonly joins: JoinRegistry
}

/** Fragments can make a short document select millions of fields. Ordinary operations stay far below this limit. */
export const maxSelectedFields = 20_000

/** A field of the answer, with all selections of its key merged. */
export interface CollectedField {
  readonly key: string
  readonly name: string
  readonly node: FieldNode
  /** The sub-selections of all occurrences. */
  readonly selections: readonly SelectionSetNode[]
  readonly path: string
}

/**
 * The fields that a selection reads of a type, in the order of the answer: fragments are spread, `@skip` and `@include`
 * applied, selections of the same key merged. Throws RequestError.
 */
export function collectFields(
  selections: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  scope: DocumentScope,
  path: string,
): readonly CollectedField[] {
  const found = new Map<string, FieldNode[]>()
  const collecting: Collecting = { type, scope, path, found, spread: new Set() }
  for (const selection of selections) collect(selection, collecting)
  scope.budget.fields -= found.size
  if (scope.budget.fields < 0)
    throw new RequestError(`the operation selects more than ${maxSelectedFields} fields`, '$')
  return [...found].map(([key, nodes]) => mergedField(key, nodes, path))
}

function mergedField(key: string, nodes: readonly FieldNode[], path: string): CollectedField {
  const [node] = nodes
  if (node === undefined) throw new Error('A collected field has a node')
  for (const other of nodes) {
    if (other.name.value !== node.name.value)
      throw new RequestError(
        `selection of both "${node.name.value}" and "${other.name.value}" specify the same response name, "${key}"`,
        path,
      )
    if (printedArguments(other) !== printedArguments(node))
      throw new RequestError(
        `inconsistent arguments between multiple selections of field "${node.name.value}"`,
        path,
      )
  }
  return {
    key,
    name: node.name.value,
    node,
    selections: nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet])),
    path: `${path}.${node.name.value}`,
  }
}

const printedArguments = ({ arguments: given }: FieldNode): string =>
  (given ?? [])
    .map((argument) => print(argument))
    .sort()
    .join()

/** The fields of one type under one selection, while they are collected. */
interface Collecting {
  readonly type: GraphQLObjectType
  readonly scope: DocumentScope
  readonly path: string
  readonly found: Map<string, FieldNode[]>
  /** As GraphQL has it, a fragment counts once. Otherwise a few that spread each other twice would never end. */
  readonly spread: Set<string>
}

function collect({ selections }: SelectionSetNode, collecting: Collecting): void {
  const { type, scope, path, found, spread } = collecting
  for (const selection of selections) {
    if (!isIncluded(selection.directives ?? [], selection.kind, scope, path)) continue
    switch (selection.kind) {
      case Kind.FIELD: {
        const key = selection.alias?.value ?? selection.name.value
        const nodes = found.get(key)
        if (nodes === undefined) found.set(key, [selection])
        else nodes.push(selection)
        break
      }
      case Kind.INLINE_FRAGMENT:
        if (
          selection.typeCondition === undefined ||
          isCalled(type, selection.typeCondition.name.value, scope)
        )
          collect(selection.selectionSet, collecting)
        break
      case Kind.FRAGMENT_SPREAD: {
        const name = selection.name.value
        const fragment = scope.fragments.get(name)
        if (fragment === undefined) throw new RequestError(`reference to undefined fragment "${name}"`, path)
        if (spread.has(name) || !isCalled(type, fragment.typeCondition.name.value, scope)) break
        spread.add(name)
        collect(fragment.selectionSet, collecting)
        break
      }
      default:
        selection satisfies never
    }
  }
}

/** Whether the name is that of the type, of one of its interfaces, or of a union with it. */
function isCalled(type: GraphQLObjectType, name: string, { schema }: DocumentScope): boolean {
  if (type.name === name || type.getInterfaces().some((each) => each.name === name)) return true
  const named = schema.getType(name)
  return isUnionType(named) && named.getTypes().some((each) => each.name === type.name)
}
