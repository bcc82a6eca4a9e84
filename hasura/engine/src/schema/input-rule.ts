import type { GraphQLInputFieldConfig, GraphQLInputType } from 'graphql'

/** Rules for an argument or a field of an input object, in addition to its GraphQL type. */
interface InputRule {
  /**
   * Its scalars are column values: one value, which may be an array, or a list of them. Hasura reads these as JSON of
   * the column's type, so a text may stand for any value, whereas GraphQL's own scalars (`limit: Int`) are strict. Or
   * it is an `Int` of 64 bits, which may be given as a text.
   */
  readonly holds?: 'column-value' | 'column-values' | 'bigint'
  /** Its type is nullable only because it may be left out. A null has no meaning here, or would select every row. */
  readonly refusesNull?: boolean
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface GraphQLArgumentExtensions extends InputRule {}
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface GraphQLInputFieldExtensions extends InputRule {}
}

type Config = Pick<GraphQLInputFieldConfig, 'description' | 'defaultValue'>

/** A field that may be left out but must not be null. */
export const nonNull = (type: GraphQLInputType, config: Config = {}): GraphQLInputFieldConfig => ({
  type,
  ...config,
  extensions: { refusesNull: true },
})

/** A field with a column's value. Without `nullable` it may be left out but must not be null. */
export const columnInput = (
  type: GraphQLInputType,
  { nullable = false, ...config }: Config & { readonly nullable?: boolean } = {},
): GraphQLInputFieldConfig => ({
  type,
  ...config,
  extensions: { holds: 'column-value', refusesNull: !nullable },
})

/** A field with a list of a column's values. */
export const columnListInput = (type: GraphQLInputType, config: Config = {}): GraphQLInputFieldConfig => ({
  type,
  ...config,
  extensions: { holds: 'column-values', refusesNull: true },
})
