import {
  coerceInputValue,
  getNullableType,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql'
import {
  type CatalogueError,
  fieldRequired,
  invalidFormat,
  syntaxError,
} from '@commerce-graph/contract/errors'
import { expectedFormat } from '@commerce-graph/contract'

/** A variable of an operation, with everything about it that depends on the document alone. */
export interface VariableDefinition {
  readonly name: string
  readonly type: GraphQLInputType
  readonly hasDefault: boolean
  readonly defaultValue: unknown
}

export type Variables = Readonly<Record<string, unknown>>

/** A text that is not of the form that its place wants: the variable's name, the path within it, and what would have been right. */
export type VariableFault = readonly [name: string, path: readonly (string | number)[], format: string]

export type ReadVariables =
  | { readonly variables: Variables }
  | {
      readonly errors: readonly CatalogueError[]
      /** Where all that is wrong is the form of texts: these, and the variables with the texts as they were given. */
      readonly misshapen?: { readonly faults: readonly VariableFault[]; readonly variables: Variables }
    }

/** Texts of a form of their own, which people type; what else is of the wrong type, a program has made. */
const typed = new Set(['EmailAddress', 'URL', 'DateTime', 'Date'])

/** More would only repeat itself: a client with hundreds of bad values has one bug. */
const maxErrors = 50

export const variableDefinitions = (
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): readonly VariableDefinition[] =>
  (operation.variableDefinitions ?? []).map(({ variable, type: typeNode, defaultValue }) => {
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

/**
 * The operation's variables as its types want them: defaults filled in, scalars parsed, what was not given left out.
 *
 * @returns the variables, or everything that is wrong with them: SVC_VAL_001 for what is missing, SVC_VAL_002 for
 * what can't be read, SVC_GQL_003 for what the input types don't have
 */
export function readVariables(definitions: readonly VariableDefinition[], given: Variables): ReadVariables {
  // Without a prototype, so that a variable may be called what every object of JavaScript has.
  const variables: Record<string, unknown> = { __proto__: null }
  const errors: CatalogueError[] = []
  const faults: VariableFault[] = []
  for (const { name, type, hasDefault, defaultValue } of definitions) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) {
      if (hasDefault) variables[name] = defaultValue
      else if (isNonNullType(type)) errors.push(fieldRequired(name))
      continue
    }
    const nextFault = memberFaults()
    const texts: (readonly [readonly (string | number)[], string])[] = []
    const coerced = coerceInputValue(value, type, (path, invalid, error) => {
      const at = typeAt(type, path)
      if (errors.length < maxErrors) errors.push(inputError([name, ...path], at, invalid, error, nextFault))
      const leaf = getNullableType(at)
      if (typeof invalid !== 'string' || !(isEnumType(leaf) || (isLeafType(leaf) && typed.has(leaf.name))))
        return
      faults.push([name, path, expectedFormat(leaf)])
      texts.push([path, invalid])
    })
    variables[name] = texts.reduce<unknown>((whole, [path, text]) => withText(whole, path, text), coerced)
  }
  if (errors.length === 0) return { variables }
  return faults.length === errors.length ? { errors, misshapen: { faults, variables } } : { errors }
}

/** Puts a text that was not taken back where it stood. */
function withText(value: unknown, path: readonly (string | number)[], text: string): unknown {
  const [step, ...rest] = path
  if (step === undefined) return text
  const holder = value as Record<string | number, unknown>
  holder[step] = withText(holder[step], rest, text)
  return holder
}

/** graphql-js tells what is wrong in words only; which of the catalogue's conditions it is follows from type and value. */
function inputError(
  path: readonly (string | number)[],
  type: GraphQLInputType,
  invalid: unknown,
  error: GraphQLError,
  nextFault: NextMemberFault,
): CatalogueError {
  const field = path.join('.')
  if (invalid == null) return fieldRequired(field)
  const nullable = getNullableType(type)
  const fault =
    isInputObjectType(nullable) && typeof invalid === 'object' ? nextFault(nullable, invalid) : undefined
  switch (fault?.kind) {
    case 'missing':
      return fieldRequired(`${field}.${fault.name}`)
    case 'unknown':
      return syntaxError(error.message, `${field}.${fault.name}`)
    case undefined:
      return invalidFormat(field, expectedFormat(nullable))
  }
}

interface MemberFault {
  readonly kind: 'missing' | 'unknown'
  readonly name: string
}

type NextMemberFault = (type: GraphQLInputObjectType, value: object) => MemberFault | undefined

/**
 * The faults of an input object's fields, one per call. The order is that of graphql-js, which reports them one by
 * one.
 */
function memberFaults(): NextMemberFault {
  const left = new Map<object, MemberFault[]>()
  return (type, value) => {
    const faults = left.get(value) ?? membersAtFault(type, value)
    left.set(value, faults)
    return faults.shift()
  }
}

function membersAtFault(type: GraphQLInputObjectType, value: object): MemberFault[] {
  const fields = type.getFields()
  const missing = Object.values(fields).filter(
    (field) => isRequiredInputField(field) && !(field.name in value),
  )
  const unknown = Object.keys(value).filter((name) => fields[name] === undefined)
  return [
    ...missing.map(({ name }) => ({ kind: 'missing', name }) as const),
    ...unknown.map((name) => ({ kind: 'unknown', name }) as const),
  ]
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
