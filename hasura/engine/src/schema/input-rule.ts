import type { GraphQLInputFieldConfig, GraphQLInputType } from 'graphql'

/** What an argument or a field of an input object takes, beyond what its GraphQL type says. */
interface InputRule {
  /**
   * Its scalars are values of columns: it is one, which may be an array, or a list of them. Hasura reads those as JSON of the
   * column's type, so that a text may stand for any value, where GraphQL's own scalars (`limit: Int`) are strict. Or it is an
   * `Int` of 64 bits, which may come as a text.
   */
  readonly holds?: 'column-value' | 'column-values' | 'bigint'
  /** Its type is nullable because it may be left out. Null itself would say nothing, or select every row. */
  readonly refusesNull?: boolean
}

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface GraphQLArgumentExtensions extends InputRule {}
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface GraphQLInputFieldExtensions extends InputRule {}
}

type Config = Pick<GraphQLInputFieldConfig, 'description' | 'defaultValue'>

/** A field that may be left out, but not be null. */
export const nonNull = (type: GraphQLInputType, config: Config = {}): GraphQLInputFieldConfig => ({
  type,
  ...config,
  extensions: { refusesNull: true },
})

/** A field that holds a value of a column; without `nullable` it may be left out, but not be null. */
export const columnInput = (
  type: GraphQLInputType,
  { nullable = false, ...config }: Config & { readonly nullable?: boolean } = {},
): GraphQLInputFieldConfig => ({
  type,
  ...config,
  extensions: { holds: 'column-value', refusesNull: !nullable },
})

/** A field that holds a list of values of a column. */
export const columnListInput = (type: GraphQLInputType, config: Config = {}): GraphQLInputFieldConfig => ({
  type,
  ...config,
  extensions: { holds: 'column-values', refusesNull: true },
})
