import {
  getNamedType,
  getNullableType,
  type GraphQLOutputType,
  isListType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import { dateTime } from '../shape/date-time.ts'
import { collectFields, selectionSetsOf, type SelectionScope } from '../plan/collect-fields.ts'

export type Select = (value: unknown) => unknown

/** Picks what is selected out of a value that is there as a whole: a list of UserErrors, an action's own result. */
export function selectValue(
  scope: SelectionScope,
  type: GraphQLOutputType,
  selectionSets: readonly SelectionSetNode[],
): Select {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const item = selectValue(scope, nullable.ofType, selectionSets)
    return (value) => (value as readonly unknown[] | null | undefined)?.map(item) ?? null
  }
  if (!isObjectType(nullable))
    return nullable.name === 'DateTime' ? (value) => dateTime(value ?? null) : (value) => value ?? null
  const fields = [...collectFields(scope, nullable, selectionSets)].map(([key, group]) => {
    const name = group[0].name.value
    const field = nullable.getFields()[name]
    // Without a definition it is __typename: validation lets nothing else through.
    return { key, name, select: field && selectValue(scope, field.type, selectionSetsOf(group)) }
  })
  return (value) => {
    if (value == null) return null
    const object = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      fields.map(({ key, name, select }) => [key, select ? select(object[name]) : nullable.name]),
    )
  }
}

/** Everything that the type has, as a selection for Hasura: `refund { amount status estimatedDate }`. */
export function selectAll(name: string, type: GraphQLOutputType): string {
  const named = getNamedType(type)
  if (!isObjectType(named)) return name
  const inner = Object.values(named.getFields()).map((field) => selectAll(field.name, field.type))
  return `${name} { ${inner.join(' ')} }`
}
