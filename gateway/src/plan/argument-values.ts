import {
  type ArgumentNode,
  type FieldNode,
  getArgumentValues,
  getDirectiveValues,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  type SelectionNode,
} from 'graphql'
import { type CatalogueError, fieldRequired } from '@commerce-graph/contract/errors'

type Values = Readonly<Record<string, unknown>>

/** A variable that is null where an argument must not be: types allow it, values don't, and graphql-js finds it late. */
export class NullArgumentError extends Error {
  /** What the client is told. */
  readonly refusal: CatalogueError

  constructor(argument: string, cause: GraphQLError) {
    super(cause.message, { cause })
    this.refusal = fieldRequired(argument)
  }
}

/** The values of a field's arguments. Throws a NullArgumentError. */
export const argumentValues = (
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Values,
): Values => withoutNull(node.arguments, () => getArgumentValues(definition, node, variables))

/** The values of a directive's arguments; undefined where the selection hasn't the directive. Throws a NullArgumentError. */
export const directiveValues = (
  directive: GraphQLDirective,
  node: SelectionNode,
  variables: Values,
): Values | undefined =>
  withoutNull(
    node.directives?.flatMap((given) => given.arguments ?? []),
    () => getDirectiveValues(directive, node, variables),
  )

function withoutNull<T>(given: readonly ArgumentNode[] | undefined, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const argument = given?.find(({ value }) => error.nodes?.includes(value))
    throw argument ? new NullArgumentError(argument.name.value, error) : error
  }
}
