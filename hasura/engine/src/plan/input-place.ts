import type { GraphQLInputFieldExtensions, GraphQLInputType } from 'graphql'

/** Where a JSON value comes from: a variable, at a path inside of it, or the document and schema themselves. */
export type Origin =
  { readonly kind: 'variable'; readonly path: readonly (string | number)[] } | { readonly kind: 'constant' }

/** An argument or a field of an input object, and what it takes. */
export interface InputPlace {
  readonly type: GraphQLInputType
  readonly extensions: Pick<GraphQLInputFieldExtensions, 'holds' | 'refusesNull'>
  readonly defaultValue?: unknown
}
