import type { Json, JsonObject } from '../metadata/parse.ts'

/** A function of one value. Throws TypeError with a sentence when the value is unsuitable. */
export type KritiFunction = (value: Json) => Json

/** The functions of all Hasura templates. */
export const basicFunctions: ReadonlyMap<string, KritiFunction> = new Map<string, KritiFunction>([
  ['empty', (value) => isEmpty(value)],
  ['size', (value) => sizeOf(value)],
  ['length', (value) => sizeOf(value)],
  ['inverse', (value) => inverse(value)],
  ['head', (value) => firstOf(value)],
  ['tail', (value) => tailOf(value)],
  ['toCaseFold', (value) => text(value).toLowerCase()],
  ['toLower', (value) => text(value).toLowerCase()],
  ['toUpper', (value) => text(value).toUpperCase()],
  ['toTitle', (value) => text(value).replaceAll(/\p{L}+/gu, titleCase)],
  ['escapeUri', (value) => escapeUri(text(value))],
  ['toPairs', (value) => Object.entries(object(value))],
  ['fromPairs', (value) => Object.fromEntries(list(value).map(pair))],
  ['removeNulls', (value) => list(value).filter((item) => item !== null)],
  ['concat', (value) => concatenation(list(value))],
  ['not', (value) => !flag(value)],
])

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function text(value: Json): string {
  if (typeof value !== 'string') throw new TypeError('expected a String')
  return value
}

function list(value: Json): readonly Json[] {
  if (!isList(value)) throw new TypeError('expected an Array')
  return value
}

function object(value: Json): JsonObject {
  if (!isObject(value)) throw new TypeError('expected an Object')
  return value
}

function flag(value: Json): boolean {
  if (typeof value !== 'boolean') throw new TypeError('expected a Boolean')
  return value
}

function isEmpty(value: Json): boolean {
  if (typeof value === 'boolean') throw new TypeError('Cannot define emptiness for a boolean')
  if (typeof value === 'string') return value.trim() === ''
  if (isList(value)) return value.length === 0
  return value === null || value === 0 || (isObject(value) && Object.keys(value).length === 0)
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return Array.from(value).length
  if (isList(value)) return value.length
  return isObject(value) ? Object.keys(value).length : Number(value)
}

function inverse(value: Json): Json {
  if (typeof value === 'string') return Array.from(value).reverse().join('')
  if (isList(value)) return value.toReversed()
  if (typeof value === 'boolean') return !value
  if (value === 0) throw new TypeError('zero has no inverse')
  return typeof value === 'number' ? 1 / value : value
}

function firstOf(value: Json): Json {
  const [first] = typeof value === 'string' ? Array.from(value) : arrayOrText(value)
  if (first === undefined) throw new TypeError(isList(value) ? 'Empty array' : 'Empty string')
  return first
}

const tailOf = (value: Json): Json =>
  typeof value === 'string' ? Array.from(value).slice(1).join('') : arrayOrText(value).slice(1)

function arrayOrText(value: Json): readonly Json[] {
  if (!isList(value)) throw new TypeError('Expected an array or string')
  return value
}

const titleCase = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()

/** Escapes all but the unreserved characters of RFC 3986. */
const escapeUri = (value: string): string =>
  encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )

function pair(value: Json): readonly [string, Json] {
  const [key, member, ...more] = isList(value) ? value : []
  if (typeof key !== 'string' || member === undefined || more.length > 0)
    throw new TypeError('Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.')
  return [key, member]
}

/** Joins arrays, texts or objects, all of one kind. For a key in several objects, the last one counts. */
function concatenation(items: readonly Json[]): Json {
  if (items.every(isList)) return items.flat()
  if (items.every((item) => typeof item === 'string')) return items.join('')
  if (items.every(isObject)) return Object.assign({}, ...items) as JsonObject
  throw new TypeError('expected an Array of Arrays, Strings or Objects')
}
