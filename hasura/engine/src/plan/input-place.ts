import type { GraphQLInputFieldExtensions, GraphQLInputType } from 'graphql'

/** The origin of a JSON value: a path inside a variable, or the document and schema. */
export type Origin =
  | { readonly kind: 'variable'; readonly path: readonly (string | number)[] }
  | { readonly kind: 'constant' }

/** An argument or a field of an input object, and its type. */
export interface InputPlace {
  readonly type: GraphQLInputType
  readonly extensions: Pick<GraphQLInputFieldExtensions, 'holds' | 'refusesNull'>
  readonly defaultValue?: unknown
}
