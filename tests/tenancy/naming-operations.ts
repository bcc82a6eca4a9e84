import type { GraphQLArgument, GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql'
import { longTests } from '../support/long-tests.ts'
import type { ForeignIds } from './foreign-ids.ts'
import { generateOperation, type GeneratedOperation } from './operation-generator.ts'
import { sampleValue } from './sample-value.ts'

/** The selected levels of a record that is named by its id. */
export const recordDepth = 1

export function rootFields(
  type: GraphQLObjectType | null | undefined,
): readonly GraphQLField<unknown, unknown>[] {
  if (type == null) throw new Error('the schema lacks a root type')
  return Object.values(type.getFields())
}

/**
 * Every query, once.
 * @param value of an argument; undefined if the query should omit it or use a sample
 */
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

interface NamingOptions {
  /** The selection; the whole record if undefined. */
  readonly select?: string
  /** The value of arguments that name no row; a sample of its type when undefined. */
  readonly sample?: (name: string, type: string) => unknown
}

/** Every query with the foreign rows that its arguments can name. */
export const queriesNaming = (foreign: ForeignIds, schema: GraphQLSchema): readonly GeneratedOperation[] =>
  rootFields(schema.getQueryType())
    .flatMap((field) => operationsNaming('query', field, foreign))
    .filter(({ variables }) => foreign.pattern.test(JSON.stringify(variables)))

/** Every mutation with the foreign rows that its arguments can name; a mutation that names none occurs once. */
export const mutationsNaming = (
  foreign: ForeignIds,
  schema: GraphQLSchema,
  options: NamingOptions = {},
): readonly GeneratedOperation[] =>
  rootFields(schema.getMutationType()).flatMap((field) =>
    operationsNaming('mutation', field, foreign, options),
  )

/** Those of the operations that name a foreign row. */
export const onlyNaming = (
  { pattern }: ForeignIds,
  operations: readonly GeneratedOperation[],
): readonly GeneratedOperation[] =>
  operations.filter(({ variables }) => pattern.test(JSON.stringify(variables)))

/** The operations of one field, each of which names other rows. */
function operationsNaming(
  kind: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
  foreign: ForeignIds,
  { select, sample = () => undefined }: NamingOptions = {},
): readonly GeneratedOperation[] {
  const byNames = new Map<string, GeneratedOperation>()
  for (const table of tablesFor(field.name, foreign.tables)) {
    const named: unknown[] = []
    const leaf = (argument: string, type: string): unknown => {
      const id = foreign.leaf(table, argument)
      if (id !== undefined) named.push(id)
      return id ?? sample(argument, type) ?? sampleValue(type, argument)
    }
    const operation = generateOperation(kind, field, {
      select,
      depth: recordDepth,
      leaf,
      withOptional: ({ name }) => kind === 'query' && foreign.leaf(table, name) !== undefined,
    })
    byNames.set(JSON.stringify(named), operation)
  }
  return [...byNames.values()]
}

/** Of the tables that a field's name doesn't have, one of so many is tried: each with other fields. */
const oneOf = longTests ? 1 : 48

/**
 * The tables whose rows are named to a field: those in its name, as `order` in `cancelOrder` and `update_ordering_order`,
 * and of the others, whose ids are unknown to the field, a share. `npm run test:long` tries all: 45,000 operations.
 */
function tablesFor(field: string, tables: readonly string[]): readonly string[] {
  const words = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const offset = field.length
  return tables.filter((table, index) => words.includes(table) || (index + offset) % oneOf === 0)
}
