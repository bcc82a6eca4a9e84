import {
  type ConstValueNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  getNullableType,
  typeFromAST,
  valueFromASTUntyped,
  type TypeNode,
  Kind,
} from 'graphql'
import { type Json, type JsonObject, json } from '../metadata/parse.ts'
import type { Operation } from '../plan/document.ts'
import type { Analysis } from './selection-schema.ts'
import { type Components, inputSchema, knownScalar, referredSchema } from './type-schemas.ts'

export interface OperationVariable {
  readonly name: string
  readonly type: GraphQLInputType
  /** The default value, if there is one. */
  readonly fallback?: Json
}

/** An operation's variables, without those whose types are not in the schema. */
export const operationVariables = (
  { definition }: Operation,
  schema: GraphQLSchema,
  { problems }: Analysis,
): readonly OperationVariable[] =>
  (definition.variableDefinitions ?? []).flatMap(({ variable, type: node, defaultValue }) => {
    const name = variable.name.value
    const type = inputType(schema, node)
    if (type === undefined) {
      problems.push(`$.${name}: type '${baseName(node)}' not found in the schema`)
      return []
    }
    return [{ name, type, ...(defaultValue === undefined ? {} : { fallback: constant(defaultValue) }) }]
  })

function inputType(schema: GraphQLSchema, node: TypeNode): GraphQLInputType | undefined {
  const type = typeFromAST(schema, node)
  return isInputType(type) ? type : undefined
}

const baseName = (node: TypeNode): string =>
  node.kind === Kind.NAMED_TYPE ? node.name.value : baseName(node.type)

const constant = (node: ConstValueNode): Json => json.parse(valueFromASTUntyped(node))

/** The variables that fit into a URL: scalars that OpenAPI knows. By name. */
export const parametersOf = (
  variables: readonly OperationVariable[],
  inPath: ReadonlySet<string>,
): readonly JsonObject[] =>
  variables
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, type, fallback }) => {
      const scalar = scalarOf(type)
      if (scalar === undefined) return []
      const schema = { ...scalar, ...(fallback === undefined ? {} : { default: fallback }) }
      return inPath.has(name)
        ? [
            {
              name,
              in: 'path',
              required: true,
              description: `_"${name}" is required as part of the path_`,
              schema,
            },
          ]
        : [{ name, in: 'query', ...requirement(name, isNonNullType(type) && fallback === undefined), schema }]
    })

const requirement = (name: string, isRequired: boolean): JsonObject =>
  isRequired ? { description: `_"${name}" is required (enter it either in parameters or request body)_` } : {}

function scalarOf(type: GraphQLInputType): JsonObject | undefined {
  const inner = getNullableType(type)
  if (isListType(inner) || !isScalarType(inner)) return undefined
  return knownScalar(inner.name)
}

/** A body may hold every variable. It is required when a required variable has no other place. */
export function requestBodyOf(
  variables: readonly OperationVariable[],
  components: Components,
): JsonObject | undefined {
  if (variables.length === 0) return undefined
  const required = variables.some(
    ({ type, fallback }) => isNonNullType(type) && fallback === undefined && scalarOf(type) === undefined,
  )
  return {
    description: 'Query parameters can also be provided in the request body as a JSON object',
    required,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(
            variables.map((variable) => [variable.name, variableSchema(variable, components)]),
          ),
        },
      },
    },
  }
}

/** A reference can't have a default beside it, so a variable with one has the schema itself. */
function variableSchema({ type, fallback }: OperationVariable, components: Components): JsonObject {
  const schema = inputSchema(type, components)
  return fallback === undefined ? schema : { ...referredSchema(schema, components), default: fallback }
}
