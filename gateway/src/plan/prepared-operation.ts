import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  visit,
} from 'graphql'
import type { Fragments } from './collect-fields.ts'
import { referencedTypes, referencesIn } from './entity-references.ts'

/** A validated operation with everything that planning needs to know about its document. */
export interface PreparedOperation {
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
  /** Every response key of the document. */
  readonly responseKeys: ReadonlySet<string>
  /** The structure of a request's variables: two requests with the same one share a plan. */
  readonly structureOf: (variables: Readonly<Record<string, unknown>>) => string
}

export function prepareOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): PreparedOperation {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  const responseKeys = new Set<string>()
  visit(document, { Field: (node) => void responseKeys.add(node.alias?.value ?? node.name.value) })
  const variables = (operation.variableDefinitions ?? []).map(({ variable, type: node }) => ({
    name: variable.name.value,
    type: typeFromAST(schema, node),
  }))
  return {
    operation,
    fragments,
    responseKeys,
    structureOf: (values) =>
      variables
        .map(({ name, type }) => (isInputType(type) ? structureOfVariable(values[name], type) : ''))
        .join(),
  }
}

/** An argument has its default where its variable is absent, and none where that is null. */
const structureOfVariable = (value: unknown, type: GraphQLInputType): string =>
  value === undefined ? '' : structure(value, type)

/**
 * The part of a value that a plan may depend on: its presence, the members of an object, the values of enums and
 * booleans (they choose sort columns and the fields of `@include`), and the types in references. Never the content of
 * a text, number or list.
 */
function structure(value: unknown, type: GraphQLInputType): string {
  if (value == null) return '-'
  if (getNamedType(type).name === '_Any') return JSON.stringify(referencedTypes(referencesIn(value)))
  const nullable = getNullableType(type)
  if (isEnumType(nullable) || typeof value === 'boolean') return JSON.stringify(value)
  if (!isInputObjectType(nullable) || Array.isArray(value)) return '+'
  const members = value as Readonly<Record<string, unknown>>
  const fields = Object.values(nullable.getFields())
  return `{${fields.map((field) => structure(members[field.name], field.type)).join()}}`
}
