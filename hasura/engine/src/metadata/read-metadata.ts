import type { z } from 'zod'
import { isStackOverflow } from '../stack-overflow.ts'
import { type Metadata, metadata } from './types.ts'

/** An error in a JSON document, and its path: `$.sources[0].tables[1]`. */
interface ParseProblem {
  readonly path: string
  readonly message: string
}

export type ParseResult<T> =
  | { readonly kind: 'parsed'; readonly value: T }
  | { readonly kind: 'invalid'; readonly problem: ParseProblem }

/** Parses with a zod schema. Returns the first problem in Hasura's form: a JSON path and a sentence. */
export function parseJson<T>(schema: z.ZodType<T>, value: unknown): ParseResult<T> {
  const result = check(schema, value)
  return result.kind === 'parsed' ? result : { kind: 'invalid', problem: problemOf(result) }
}

type Checked<T> =
  | Extract<ParseResult<T>, { kind: 'parsed' }>
  | { readonly kind: 'invalid'; readonly issues: readonly z.core.$ZodIssue[] }
  | { readonly kind: 'too-deep' }

function check<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  try {
    const result = schema.safeParse(value, { reportInput: true })
    return result.success
      ? { kind: 'parsed', value: result.data }
      : { kind: 'invalid', issues: result.error.issues }
  } catch (error) {
    if (!isStackOverflow(error)) throw error
    return { kind: 'too-deep' }
  }
}

const problemOf = (checked: Exclude<Checked<unknown>, { kind: 'parsed' }>): ParseProblem =>
  checked.kind === 'invalid'
    ? firstProblem(checked.issues)
    : { path: '$', message: 'the value is nested too deeply' }

export type LenientResult<T> =
  /** `ignored`: the paths of the keys that were left out. */
  | { readonly kind: 'parsed'; readonly value: T; readonly ignored: readonly string[] }
  | Extract<ParseResult<T>, { kind: 'invalid' }>

/** The most rounds. Each descends into at least one union, and metadata never nests that many. */
const maxRounds = 100

/** Parses in the same way, but leaves out unknown keys, as Hasura does. */
export function parseKnownKeys<T>(schema: z.ZodType<T>, value: unknown): LenientResult<T> {
  const ignored: string[] = []
  let rest = value
  for (let round = 0; round < maxRounds; round += 1) {
    const checked = check(schema, rest)
    if (checked.kind === 'parsed') return { ...checked, ignored }
    const unknown = checked.kind === 'invalid' ? unknownKeys(checked.issues, []) : []
    if (unknown.length === 0) return { kind: 'invalid', problem: problemOf(checked) }
    for (const path of unknown) {
      ignored.push(jsonPath(path))
      rest = without(rest, path)
    }
  }
  throw new Error(`unknown keys were left after ${maxRounds} rounds: ${ignored.join(', ')}`)
}

/** The paths of unknown keys. In a union, those of the branch that accepts the value without them. */
const unknownKeys = (
  issues: readonly z.core.$ZodIssue[],
  prefix: readonly PropertyKey[],
): readonly (readonly PropertyKey[])[] =>
  issues.flatMap((issue): readonly (readonly PropertyKey[])[] => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key])
    if (issue.code !== 'invalid_union') return []
    const branch = issue.errors.find((each) => each.length > 0 && each.every(isOfUnknownKeys))
    return branch === undefined ? [] : unknownKeys(branch, path)
  })

const isOfUnknownKeys = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'unrecognized_keys' ||
  (issue.code === 'invalid_union' &&
    issue.errors.some((branch) => branch.length > 0 && branch.every(isOfUnknownKeys)))

function without(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === key ? without(item, rest) : item))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
      if (name !== key) return [[name, member]]
      return rest.length === 0 ? [] : [[name, without(member, rest)]]
    }),
  )
}

/** Reads metadata of format 3, and of the formats 1 and 2, which have one source without a name. */
export const parseMetadata = (value: unknown): LenientResult<Metadata> =>
  parseKnownKeys(metadata, isObject(value) ? toVersion3(value) : value)

type JsonRecord = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether the metadata is of format 1 or 2. */
export const isWithoutSources = (value: unknown): boolean =>
  isObject(value) && !('sources' in value) && value['version'] !== 3

function toVersion3(value: JsonRecord): JsonRecord {
  if (!isWithoutSources(value)) return value
  const { tables = [], functions = [], ...rest } = value
  return {
    ...rest,
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables,
        functions: Array.isArray(functions) ? functions.map(namedFunction) : functions,
      },
    ],
  }
}

/** In format 1 a function was just its name. */
const namedFunction = (value: unknown): unknown =>
  isObject(value) && 'function' in value ? value : { function: value }

/**
 * The error to report. For a union, zod lists the errors of all branches; the branch with the deepest path is the one
 * that was meant.
 */
function firstProblem(
  issues: readonly z.core.$ZodIssue[],
  prefix: readonly PropertyKey[] = [],
): ParseProblem {
  const [issue] = issues
  if (!issue) return { path: jsonPath(prefix), message: 'the value is not valid' }
  const path = [...prefix, ...issue.path]
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors
      .filter((branch) => branch.length > 0)
      .toSorted((a, b) => (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0))[0]
    if (deepest && (deepest[0]?.path.length ?? 0) > 0) return firstProblem(deepest, path)
    const plain = deepest?.find((each) => each.code === 'unrecognized_keys') ?? deepest?.[0]
    return plain ? firstProblem([plain], path) : { path: jsonPath(path), message: issue.message }
  }
  return problemAt(issue, path)
}

function problemAt(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): ParseProblem {
  const at = jsonPath(path)
  switch (issue.code) {
    case 'unrecognized_keys': {
      const keys = issue.keys.map((key) => `"${key}"`).join(', ')
      return { path: at, message: `unknown key${issue.keys.length > 1 ? 's' : ''} ${keys}` }
    }
    case 'invalid_type': {
      const last = path.at(-1)
      // A missing key is an error of the object around it.
      if (issue.input === undefined && last !== undefined) {
        return { path: jsonPath(path.slice(0, -1)), message: `key "${String(last)}" not found` }
      }
      const expected = typeName(issue.expected)
      return {
        path: at,
        message: `parsing ${expected} failed, expected ${expected}, but encountered ${encountered(issue.input)}`,
      }
    }
    default:
      return { path: at, message: issue.message }
  }
}

const typeName = (expected: string): string => expected.charAt(0).toUpperCase() + expected.slice(1)

function encountered(value: unknown): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  return typeName(typeof value)
}

const jsonPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    const name = String(key)
    return /^[A-Za-z_][\w-]*$/.test(name) ? `${text}.${name}` : `${text}['${name}']`
  }, '$')
