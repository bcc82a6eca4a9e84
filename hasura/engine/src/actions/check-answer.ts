import { Kind, type TypeNode, parseType } from 'graphql'
import { jsonTypeOf } from '../exact-json.ts'
import type { CustomTypes } from '../metadata/types.ts'
import type { JsonValue } from '../plan/input-value.ts'

/**
 * Checks a whole answer of a handler, selected or not. Returns what is wrong in Hasura's words, or undefined. As in
 * Hasura, the shape must be that of the output type, GraphQL's own scalars must be such, and an object must have its
 * non-null fields. The values in those fields are not checked.
 */
export const answerProblem = (value: JsonValue, outputType: string, types: CustomTypes): string | undefined =>
  problemOf(value, parseType(outputType), types)

function problemOf(value: JsonValue, type: TypeNode, types: CustomTypes): string | undefined {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  if (nullable.kind === Kind.NAMED_TYPE && isFreeScalar(nullable.name.value, types)) return undefined
  if (value === null)
    return type.kind === Kind.NON_NULL_TYPE ? 'got null for the action webhook response' : undefined
  if (nullable.kind === Kind.LIST_TYPE)
    return Array.isArray(value)
      ? firstProblem(value as readonly JsonValue[], (item) => problemOf(item, nullable.type, types))
      : 'expecting array for the action webhook response'
  return namedProblem(value, nullable.name.value, types)
}

function namedProblem(value: NonNullable<JsonValue>, type: string, types: CustomTypes): string | undefined {
  const got = (what: string): string => `got ${what} for the action webhook response, expecting ${type}`
  switch (jsonTypeOf(value)) {
    case 'number':
      // Hasura's message says `scalar String` here.
      return type === 'Int' || type === 'Float' ? undefined : got('scalar String')
    case 'boolean':
      return type === 'Boolean' ? undefined : got('scalar Boolean')
    case 'string':
      return type === 'String' || type === 'ID' ? undefined : got('scalar String')
    default:
      if (Array.isArray(value)) return got('array')
      return builtInScalars.has(type)
        ? got('object')
        : objectProblem(value as Readonly<Record<string, JsonValue>>, type, types)
  }
}

const objectProblem = (
  value: Readonly<Record<string, JsonValue>>,
  type: string,
  { objects = [] }: CustomTypes,
): string | undefined =>
  firstProblem(objects.find(({ name }) => name === type)?.fields ?? [], (field) => {
    if (!field.type.trim().endsWith('!')) return undefined
    if (!Object.hasOwn(value, field.name))
      return `field "${field.name}" expected in webhook response, but not found`
    return value[field.name] === null ? `expecting not null value for field "${field.name}"` : undefined
  })

const builtInScalars: ReadonlySet<string> = new Set(['Int', 'Float', 'String', 'Boolean', 'ID'])

/** Enums, custom scalars and Postgres types accept any JSON. */
const isFreeScalar = (type: string, { objects = [] }: CustomTypes): boolean =>
  !builtInScalars.has(type) && !objects.some(({ name }) => name === type)

function firstProblem<Item>(
  items: readonly Item[],
  problem: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = problem(item)
    if (found !== undefined) return found
  }
  return undefined
}
