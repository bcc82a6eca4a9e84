import {
  type ASTNode,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLSchema,
  Kind,
  type TypeNode,
  isInputType,
  print,
  visit,
} from 'graphql'
import type { Operation } from './document.ts'
import type { JsonValue } from './input-value.ts'
import { literalJson } from './literal-json.ts'
import { RequestError } from './request-error.ts'

/** The variables of one request, and their declarations. */
export interface Variables {
  /** Given values and defaults. A nullable variable without either is absent. */
  readonly values: Readonly<Record<string, JsonValue>>
  /** The variables with a value of the request; the others of `values` have defaults. */
  readonly given: ReadonlySet<string>
  readonly types: ReadonlyMap<string, TypeNode>
  /** The variables that are declared with a default other than null. */
  readonly defaulted: ReadonlySet<string>
}

/**
 * Checks that required variables are given, and no unused ones: as in Hasura, a variable may be declared without being
 * used, but then it must not be given. Types are checked where a value is used. Throws RequestError.
 */
export function readVariables(operation: Operation, given: Readonly<Record<string, JsonValue>>): Variables {
  // The object has no prototype, so a variable may have the name of a property of every JavaScript object.
  const values: Record<string, JsonValue> = { __proto__: null }
  const types = new Map<string, TypeNode>()
  const defaulted = new Set<string>()
  for (const { variable, type, defaultValue } of operation.definition.variableDefinitions ?? []) {
    const name = variable.name.value
    if (types.has(name))
      throw new RequestError(`multiple definitions for variable "${name}"`, '$', 'parse-failed')
    types.set(name, type)
    if (defaultValue !== undefined && defaultValue.kind !== Kind.NULL) defaulted.add(name)
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined && !(value === null && type.kind === Kind.NON_NULL_TYPE)) values[name] = value
    else if (value === null)
      throw new RequestError(`null value found for non-nullable type: "${print(type)}"`, '$')
    else if (defaultValue !== undefined) values[name] = literalJson(defaultValue) ?? null
    else if (type.kind === Kind.NON_NULL_TYPE)
      throw new RequestError(`expecting a value for non-nullable variable: "${name}"`, '$')
  }
  const used = usedVariables(operation)
  const unbound = [...used].find((name) => !types.has(name))
  if (unbound !== undefined) throw new RequestError(`unbound variable "${unbound}"`, '$')
  const unexpected = Object.keys(given).filter((name) => !used.has(name))
  if (unexpected.length > 0)
    throw new RequestError(`unexpected variables in variableValues: ${unexpected.join(', ')}`, '$')
  return {
    values,
    given: new Set(Object.keys(values).filter((name) => Object.hasOwn(given, name))),
    types,
    defaulted,
  }
}

/** The variables used in an operation's selection and directives, and in its fragments. */
function usedVariables({ definition, fragments }: Operation): ReadonlySet<string> {
  const used = new Set<string>()
  const spread = new Set<string>()
  const collect = (node: ASTNode): void => {
    visit(node, {
      VariableDefinition: () => false,
      Variable: ({ name }) => {
        used.add(name.value)
      },
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value)
        if (fragment === undefined || spread.has(name.value)) return
        spread.add(name.value)
        collect(fragment)
      },
    })
  }
  collect(definition)
  return used
}

/** A variable's value at a place of the given type. Undefined when it is absent. Throws RequestError. */
export function variableAt(
  { values, types, defaulted }: Variables,
  name: string,
  type: GraphQLInputType,
  at: string,
  hasDefault = false,
): JsonValue | undefined {
  const declared = types.get(name)
  if (declared === undefined) throw new Error(`Variable ${name} was not declared`)
  // A default of the variable or of the place makes a nullable variable fit a non-null place.
  const expected = type.toString()
  const wanted = hasDefault || defaulted.has(name) ? expected.replace(/!$/, '') : expected
  if (!isSubtype(declared, wanted))
    throw new RequestError(
      `variable "${name}" is declared as ${print(declared)}, but used where ${String(type)} is expected`,
      at,
    )
  return values[name]
}

/** Whether the declared type is at least as strict as the expected one: `Int!` for `Int`, `[Int!]` for `[Int]`. */
function isSubtype(declared: TypeNode, expected: string): boolean {
  const text = print(declared)
  if (text === expected) return true
  if (declared.kind === Kind.NON_NULL_TYPE) return isSubtype(declared.type, expected.replace(/!$/, ''))
  if (expected.endsWith('!')) return false
  return (
    declared.kind === Kind.LIST_TYPE &&
    expected.startsWith('[') &&
    isSubtype(declared.type, expected.slice(1, -1))
  )
}

/** A variable's declared type in the schema; undefined if the schema lacks it. */
export function inputTypeOf(node: TypeNode, schema: GraphQLSchema): GraphQLInputType | undefined {
  switch (node.kind) {
    case Kind.NAMED_TYPE: {
      const type = schema.getType(node.name.value)
      return isInputType(type) ? type : undefined
    }
    case Kind.LIST_TYPE: {
      const item = inputTypeOf(node.type, schema)
      return item === undefined ? undefined : new GraphQLList(item)
    }
    // Nullability doesn't change the structure.
    case Kind.NON_NULL_TYPE:
      return inputTypeOf(node.type, schema)
    default:
      return node satisfies never
  }
}
