import {
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/** A column of a CSV file: the response keys from the record to its value, which is a single value or a list. */
export interface ColumnType {
  readonly path: readonly string[]
}

/** Columns of a file, at most. */
export const mostColumns = 1_000

/**
 * The columns of records, in the order of the selection. An object's fields are columns of their own, named by their
 * path; a list is one column. They depend on the document alone, so a file has them without a row, too. Null if there are more than
 * `mostColumns`: fragments that are spread in several fields can make any number.
 */
export function columnsOf(
  schema: GraphQLSchema,
  typeName: string,
  selectionSet: SelectionSetNode,
  fragments: readonly FragmentDefinitionNode[],
): readonly ColumnType[] | null {
  const paths = new Map<string, readonly string[]>()
  const type = schema.getType(typeName)
  if (isCompositeType(type)) collect({ schema, fragments, paths, spread: new Set() }, type, selectionSet, [])
  return paths.size > mostColumns ? null : Array.from(paths.values(), (path) => ({ path }))
}

interface Collecting {
  readonly schema: GraphQLSchema
  readonly fragments: readonly FragmentDefinitionNode[]
  readonly paths: Map<string, readonly string[]>
  /** Fragments that were spread, each with the path of the object. Spread there again, it adds nothing. */
  readonly spread: Set<string>
}

function collect(
  collecting: Collecting,
  type: GraphQLCompositeType,
  { selections }: SelectionSetNode,
  prefix: readonly string[],
): void {
  const { schema, fragments, paths, spread } = collecting
  const inside = (condition: string | undefined, selectionSet: SelectionSetNode): void => {
    const named = condition === undefined ? type : schema.getType(condition)
    if (isCompositeType(named)) collect(collecting, named, selectionSet, prefix)
  }
  for (const selection of selections) {
    if (paths.size > mostColumns) return
    switch (selection.kind) {
      case Kind.INLINE_FRAGMENT:
        inside(selection.typeCondition?.name.value, selection.selectionSet)
        break
      case Kind.FRAGMENT_SPREAD: {
        const fragment = fragments.find(({ name }) => name.value === selection.name.value)
        const place = [...prefix, selection.name.value].join('.')
        if (!fragment || spread.has(place)) break
        spread.add(place)
        inside(fragment.typeCondition.name.value, fragment.selectionSet)
        break
      }
      case Kind.FIELD: {
        const path = [...prefix, (selection.alias ?? selection.name).value]
        const of = fieldType(type, selection.name.value)
        const named = of && getNamedType(of)
        if (selection.selectionSet && isCompositeType(named) && !isListType(of && getNullableType(of)))
          collect(collecting, named, selection.selectionSet, path)
        else paths.set(path.join('.'), path)
        break
      }
      default:
        selection satisfies never
    }
  }
}

/** Undefined for `__typename`. */
const fieldType = (type: GraphQLCompositeType, name: string): GraphQLOutputType | undefined =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name]?.type : undefined
