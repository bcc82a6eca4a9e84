import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLNonNull,
  GraphQLString,
  Kind,
  type SelectionSetNode,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql'
import type { JsonObject } from '../metadata/parse.ts'
import { maxSelectedFields } from '../plan/collect-fields.ts'
import { type Components, described, leafSchema, typeSchema } from './type-schemas.ts'

/** The state of building a document's schema. */
export interface Analysis {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly components: Components
  /**
   * Errors against the GraphQL schema, in Hasura's words. The parts are left out, and the document's description names
   * them.
   */
  readonly problems: string[]
  /** The remaining number of fields to visit: fragments can make a short document select millions. */
  readonly budget: { fields: number }
}

export const analysisOf = (fragments: Analysis['fragments'], components: Components): Analysis => ({
  fragments,
  components,
  problems: [],
  budget: { fields: maxSelectedFields },
})

/** The properties of the answer's object for a selection. */
export function selectionProperties(
  selections: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  analysis: Analysis,
  path: string,
): JsonObject {
  const properties: Record<string, JsonObject> = {}
  for (const [key, nodes] of fieldsByKey(selections, analysis)) {
    analysis.budget.fields -= nodes.length
    if (analysis.budget.fields < 0) break
    const name = nodes[0]?.name.value ?? ''
    const field = fieldSchema(name, nodes, type, analysis, `${path}.${name}`)
    if (field.kind === 'schema') properties[key] = field.schema
    if (field.kind === 'problem') analysis.problems.push(`${path}.${name}: ${field.message}`)
  }
  return properties
}

type FieldSchema =
  | { readonly kind: 'schema'; readonly schema: JsonObject }
  | { readonly kind: 'problem'; readonly message: string }
  | { readonly kind: 'left-out' }

function fieldsByKey(
  selections: readonly SelectionSetNode[],
  { fragments }: Analysis,
): ReadonlyMap<string, readonly FieldNode[]> {
  const found = new Map<string, FieldNode[]>()
  const spread = new Set<string>()
  const collect = ({ selections: nodes }: SelectionSetNode): void => {
    for (const node of nodes) {
      switch (node.kind) {
        case Kind.FIELD: {
          const key = node.alias?.value ?? node.name.value
          found.set(key, [...(found.get(key) ?? []), node])
          break
        }
        case Kind.INLINE_FRAGMENT:
          collect(node.selectionSet)
          break
        case Kind.FRAGMENT_SPREAD: {
          const fragment = fragments.get(node.name.value)
          if (fragment === undefined || spread.has(node.name.value)) break
          spread.add(node.name.value)
          collect(fragment.selectionSet)
          break
        }
      }
    }
  }
  selections.forEach(collect)
  return found
}

const typename = new GraphQLNonNull(GraphQLString)

const typeOfField = (type: GraphQLObjectType, name: string): GraphQLOutputType | undefined =>
  name === '__typename' ? typename : type.getFields()[name]?.type

/** The schema for all selections with one response key, which must have one type. */
function fieldSchema(
  name: string,
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
  analysis: Analysis,
  path: string,
): FieldSchema {
  const fieldType = typeOfField(type, name)
  if (fieldType === undefined) return problem(`field '${name}' not found in object '${type.name}'`)
  const other = nodes
    .map((node) => typeOfField(type, node.name.value))
    .find((each) => String(each) !== String(fieldType))
  if (other !== undefined)
    return problem(`field '${name}' seen with two different types: ${String(fieldType)} and ${String(other)}`)
  const named = getNamedType(fieldType)
  const selections = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  if (isLeafType(named)) {
    if (selections.length > 0) return problem(`scalar '${named.name}' does not accept a selection set`)
    const schema = typeSchema(fieldType, (nullable) => leafSchema(named, nullable, analysis.components))
    return { kind: 'schema', schema }
  }
  // The answer for a union or an interface depends on the row. Hasura leaves it out, too.
  if (!isObjectType(named)) return { kind: 'left-out' }
  if (selections.length === 0) return problem(`object of type '${named.name}' must have a selection set`)
  const properties = selectionProperties(selections, named, analysis, path)
  const object = { title: named.name, type: 'object', ...described(named), properties }
  return { kind: 'schema', schema: typeSchema(fieldType, (nullable) => ({ ...object, nullable })) }
}

const problem = (message: string): FieldSchema => ({ kind: 'problem', message })
