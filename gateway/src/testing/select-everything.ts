import { type GraphQLField, type GraphQLOutputType, getNamedType, isObjectType } from 'graphql'

export interface SelectEverythingOptions {
  /** How many objects may nest. */
  readonly depth: number
  /** Whether a field is selected; all are unless it says otherwise. */
  readonly include?: (type: string, field: string) => boolean
}

/** A selection set with every field of a type, down to a depth; empty when there is nothing left to select. */
export function selectEverything(type: GraphQLOutputType, options: SelectEverythingOptions): string {
  const named = getNamedType(type)
  if (!isObjectType(named)) return ''
  const { depth, include = () => true } = options
  const fields = Object.values(named.getFields())
    .filter((field) => include(named.name, field.name))
    .map((field) => selectField(field, { ...options, depth: depth - 1 }))
    .filter((text) => text !== '')
  return `{ __typename ${fields.join(' ')} }`
}

function selectField(field: GraphQLField<unknown, unknown>, options: SelectEverythingOptions): string {
  if (!isObjectType(getNamedType(field.type))) return field.name
  if (options.depth <= 0) return ''
  return `${field.name} ${selectEverything(field.type, options)}`
}
