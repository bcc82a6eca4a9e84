import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  executeSync,
  lexicographicSortSchema,
} from 'graphql'
import type { Operation } from '../plan/document.ts'
import { RequestError } from '../plan/request-error.ts'
import type { SelectScope } from '../plan/plan-select.ts'

/** Hasura lists types, fields and values by name. Sorting is done once per schema, and only if somebody asks. */
const sortedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>()

const sorted = (schema: GraphQLSchema): GraphQLSchema => {
  const known = sortedSchemas.get(schema) ?? lexicographicSortSchema(schema)
  sortedSchemas.set(schema, known)
  return known
}

/** Answers `__schema` or `__type` from the role's schema, as JSON text. */
export const introspect = (
  node: FieldNode,
  { definition, fragments }: Operation,
  { schema, variables }: SelectScope,
  path: string,
): string => {
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...definition, selectionSet: { kind: Kind.SELECTION_SET, selections: [node] } },
      ...fragments.values(),
    ],
  }
  const { data, errors } = executeSync({ schema: sorted(schema), document, variableValues: variables.values })
  const [error] = errors ?? []
  if (error !== undefined) throw new RequestError(error.message, path)
  const key = node.alias?.value ?? node.name.value
  return JSON.stringify(data?.[key] ?? null)
}
