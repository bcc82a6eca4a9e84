import type { GraphQLArgument, GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql'
import type { ForeignIds } from './foreign-ids.ts'
import { generateOperation, type GeneratedOperation } from './operation-generator.ts'
import { sampleValue } from './sample-value.ts'

/** Levels that are selected of a record that is named by its id. */
export const recordDepth = 1

export function rootFields(
  type: GraphQLObjectType | null | undefined,
): readonly GraphQLField<unknown, unknown>[] {
  if (type == null) throw new Error('the schema lacks a root type')
  return Object.values(type.getFields())
}

/** Every query, once. @param value of an argument; undefined where the query is to do without it or with any */
export const queriesOf = (
  schema: GraphQLSchema,
  depth: number,
  value: (argument: string) => unknown,
): readonly GeneratedOperation[] =>
  rootFields(schema.getQueryType()).map((field) =>
    generateOperation('query', field, {
      depth,
      leaf: (name, type) => value(name) ?? sampleValue(type, name),
      withOptional: (argument: GraphQLArgument) => value(argument.name) !== undefined,
    }),
  )

/** Every query with every one of the foreign rows that its arguments can name. */
export const queriesNaming = (foreign: ForeignIds, schema: GraphQLSchema): readonly GeneratedOperation[] =>
  onlyNaming(
    foreign,
    foreign.tables.flatMap((table) =>
      queriesOf(schema, recordDepth, (argument) => foreign.leaf(table, argument)),
    ),
  )

/**
 * Every mutation with every one of the foreign rows that its arguments can name; what names none is made once.
 *
 * @param options.select what to select of each, in the place of everything
 * @param options.sample the value of what names no row; a sample of its type when undefined
 */
export const mutationsNaming = (
  foreign: ForeignIds,
  schema: GraphQLSchema,
  {
    select,
    sample = () => undefined,
  }: {
    readonly select?: string
    readonly sample?: (name: string, type: string) => unknown
  } = {},
): readonly GeneratedOperation[] =>
  rootFields(schema.getMutationType()).flatMap((field) => {
    const byNames = new Map<string, GeneratedOperation>()
    for (const table of foreign.tables) {
      const named: unknown[] = []
      const leaf = (argument: string, type: string): unknown => {
        const id = foreign.leaf(table, argument)
        if (id !== undefined) named.push(id)
        return id ?? sample(argument, type) ?? sampleValue(type)
      }
      const operation = generateOperation('mutation', field, {
        select,
        depth: recordDepth,
        leaf,
        withOptional: () => false,
      })
      byNames.set(JSON.stringify(named), operation)
    }
    return [...byNames.values()]
  })

/** Those of the operations that name a foreign row, each once: a query names the same ids for many a table. */
export const onlyNaming = (
  { pattern }: ForeignIds,
  operations: readonly GeneratedOperation[],
): readonly GeneratedOperation[] => [
  ...new Map(
    operations
      .filter(({ variables }) => pattern.test(JSON.stringify(variables)))
      .map((one) => [JSON.stringify([one.field, one.variables]), one]),
  ).values(),
]
