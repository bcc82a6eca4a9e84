import {
  coerceInputValue,
  getNullableType,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql'
import { type CatalogueError, fieldRequired, invalidFormat, syntaxError } from '../errors/catalogue-error.ts'
import { expectedFormat } from '../errors/expected-format.ts'

/** A variable of an operation, with everything about it that depends on the document alone. */
export interface VariableDefinition {
  readonly name: string
  readonly type: GraphQLInputType
  readonly hasDefault: boolean
  readonly defaultValue: unknown
}

export type Variables = Readonly<Record<string, unknown>>

/** More would only repeat itself: a client with hundreds of bad values has one bug. */
const maxErrors = 50

export function variableDefinitions(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): readonly VariableDefinition[] {
  return (operation.variableDefinitions ?? []).map(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode)
    if (!isInputType(type))
      throw new GraphQLError(`validation lets no variable of type ${String(type)} through`)
    return {
      name: variable.name.value,
      type,
      hasDefault: defaultValue !== undefined,
      defaultValue: defaultValue && valueFromAST(defaultValue, type),
    }
  })
}

/**
 * The operation's variables as its types want them: defaults filled in, scalars parsed, what was not given left out.
 *
 * @returns the variables, or everything that is wrong with them: SVC_VAL_001 for what is missing, SVC_VAL_002 for
 * what can't be read, SVC_GQL_003 for what the input types don't have
 */
export function readVariables(
  definitions: readonly VariableDefinition[],
  given: Variables,
): { readonly variables: Variables } | { readonly errors: readonly CatalogueError[] } {
  // Without a prototype, so that a variable may be called what every object of JavaScript has.
  const variables: Record<string, unknown> = { __proto__: null }
  const errors: CatalogueError[] = []
  for (const { name, type, hasDefault, defaultValue } of definitions) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) {
      if (hasDefault) variables[name] = defaultValue
      else if (isNonNullType(type)) errors.push(fieldRequired(name))
      continue
    }
    variables[name] = coerceInputValue(value, type, (path, invalid, error) => {
      if (errors.length < maxErrors)
        errors.push(inputError([name, ...path], typeAt(type, path), invalid, error))
    })
  }
  return errors.length > 0 ? { errors } : { variables }
}

/** graphql-js tells what is wrong in words only; which of the catalogue's conditions it is follows from type and value. */
function inputError(
  path: readonly (string | number)[],
  type: GraphQLInputType,
  invalid: unknown,
  error: GraphQLError,
): CatalogueError {
  const field = path.join('.')
  if (invalid == null) return fieldRequired(field)
  const nullable = getNullableType(type)
  const member = /^Field "([^"]*)"/.exec(error.message)?.[1]
  if (isInputObjectType(nullable) && member !== undefined) {
    const memberField = `${field}.${member}`
    return member in nullable.getFields()
      ? fieldRequired(memberField)
      : syntaxError(error.message, memberField)
  }
  return invalidFormat(field, expectedFormat(nullable))
}

function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLInputType {
  let current = type
  for (const step of path) {
    const nullable = getNullableType(current)
    if (isListType(nullable)) {
      current = nullable.ofType
      if (typeof step === 'number') continue
    }
    // A list accepts its single item as it is, so the path then goes on within the item.
    const item = getNullableType(current)
    if (isInputObjectType(item)) current = item.getFields()[String(step)]?.type ?? item
  }
  return current
}
