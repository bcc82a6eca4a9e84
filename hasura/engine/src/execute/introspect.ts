import { GraphQLError, type GraphQLSchema, lexicographicSortSchema } from 'graphql'
import { introspectionSize, runIntrospection, StandardIntrospection } from '../introspection/index.ts'
import type { Operation } from '../plan/document.ts'
import type { SelectScope } from '../plan/select-scope.ts'
import { RequestError } from '../plan/request-error.ts'
import type { RootField } from '../plan/root-field.ts'

interface SortedSchema {
  readonly schema: GraphQLSchema
  readonly standard: StandardIntrospection
}

/** Hasura lists types, fields and values by name. A schema is sorted once, at its first introspection. */
const sortedSchemas = new WeakMap<GraphQLSchema, SortedSchema>()

function sorted(unsorted: GraphQLSchema): SortedSchema {
  const known = sortedSchemas.get(unsorted)
  if (known !== undefined) return known
  const schema = lexicographicSortSchema(unsorted)
  const made = { schema, standard: new StandardIntrospection(schema) }
  sortedSchemas.set(unsorted, made)
  return made
}

/**
 * The most values in an operation's introspection, unless it is graphql-js's query: computing them takes some 0.2 s.
 * Admin has no limit, because its secret allows heavier requests anyway.
 */
const maxValues = 50_000

type IntrospectionField = Extract<RootField, { kind: 'introspection' }>

/** The answers to an operation's `__schema` and `__type`, as JSON text. Throws RequestError beyond a role's limit. */
export function createIntrospector(
  operation: Operation,
  { schema: unsorted, variables: { values: variables }, access }: SelectScope,
): (field: IntrospectionField) => string {
  const { definition, document, fragments } = operation
  let left = maxValues
  return ({ node, path }) => {
    const { schema, standard } = sorted(unsorted)
    const stored = standard.find(document, definition)
    if (stored !== undefined) return stored().toString()
    const introspection = { schema, fragments, variables }
    if (!access.isAdmin) left -= introspectionSize(introspection, node, left)
    if (left < 0)
      throw new RequestError(
        `introspection answers at most ${String(maxValues)} values, unless it is the query of graphql-js (getIntrospectionQuery)`,
        path,
      )
    try {
      const key = node.alias?.value ?? node.name.value
      return JSON.stringify(runIntrospection(introspection, definition, key, [node]) ?? null)
    } catch (error) {
      if (error instanceof GraphQLError) throw new RequestError(error.message, path)
      throw error
    }
  }
}
