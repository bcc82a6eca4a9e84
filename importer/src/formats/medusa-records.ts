import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { InputError } from '../input/input-error.ts'
import type { Mapping } from './shop-table.ts'

/** A value of a record, or of a part of one. */
export interface Fields {
  /** The record's line of JSON Lines; of another file, its number among the records. */
  readonly line: number
  /** A text or number as text, by a name of the mapping; empty when it is absent. */
  text(field: string): string
  /** The objects of a list. */
  list(field: string): readonly Fields[]
  /** An object of its own; null when it is absent. */
  part(field: string): Fields | null
  isTrue(field: string): boolean
  /** Whether the record has the field, with any value but null. */
  has(field: string): boolean
}

/** Characters of a file that isn't JSON Lines: it is in memory as a whole. */
const maxWhole = 256 * 1024 * 1024

/**
 * The records of a file with answers of Medusa's Admin API, by the names of the mapping: one answer, such as `{"orders": […]}`, a list
 * of records, or an answer or a record in each line.
 *
 * @throws InputError if the file is no JSON, or has none of the mapping's fields
 */
export async function* readRecords(
  file: string,
  { list, mapping }: { readonly list: string; readonly mapping: Mapping },
): AsyncGenerator<Fields> {
  let checked = false
  for await (const { value, line } of jsonValues(file))
    for (const [index, record] of recordsOf(value, list).entries()) {
      const fields = fieldsOf(record, { mapping, line: line ?? index + 1 })
      if (!checked && !Object.keys(mapping).some((field) => fields.has(field)))
        throw new InputError(`${file} has none of the mapping's fields: ${Object.values(mapping).join(', ')}`)
      checked = true
      yield fields
    }
}

function recordsOf(value: unknown, list: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return []
  const inside = value[list] ?? value[list.replace(/s$/, '')]
  if (Array.isArray(inside)) return inside
  return [isObject(inside) ? inside : value]
}

interface JsonValue {
  readonly value: unknown
  /** Null for the whole of a file. */
  readonly line: number | null
}

/** The lines of JSON Lines, or the whole of another file. */
async function* jsonValues(file: string): AsyncGenerator<JsonValue> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  let number = 0
  try {
    for await (const line of lines) {
      number += 1
      if (line.trim() === '') continue
      const value = parsed(line)
      if (value.kind === 'value') yield { value: value.value, line: number }
      else if (number === 1) {
        yield* whole(file)
        return
      } else throw new InputError(`${file}:${number} is no JSON: ${value.message}`)
    }
  } finally {
    lines.close()
  }
}

async function* whole(file: string): AsyncGenerator<JsonValue> {
  const { size } = await stat(file)
  if (size > maxWhole)
    throw new InputError(`${file} has more than ${maxWhole} bytes: put each answer into a line of its own`)
  const value = parsed(await readFile(file, 'utf8'))
  if (value.kind === 'invalid') throw new InputError(`${file} is no JSON: ${value.message}`)
  yield { value: value.value, line: null }
}

type Parsed =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly message: string }

function parsed(text: string): Parsed {
  try {
    return { kind: 'value', value: JSON.parse(text.replace(/^\uFEFF/, '')) }
  } catch (error) {
    return { kind: 'invalid', message: error instanceof Error ? error.message : String(error) }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fieldsOf(record: unknown, place: { readonly mapping: Mapping; readonly line: number }): Fields {
  const { mapping, line } = place
  const valueOf = (field: string): unknown => {
    let value = record
    for (const name of (mapping[field] ?? field).split('.')) value = isObject(value) ? value[name] : undefined
    return value
  }
  return {
    line,
    text(field) {
      const value = valueOf(field)
      // Amounts are numbers, or texts in an object when they are large.
      const plain = isObject(value) ? value['value'] : value
      return typeof plain === 'string' ? plain.trim() : typeof plain === 'number' ? decimal(plain) : ''
    },
    list(field) {
      const value = valueOf(field)
      return Array.isArray(value) ? value.filter(isObject).map((part) => fieldsOf(part, place)) : []
    },
    part(field) {
      const value = valueOf(field)
      return isObject(value) ? fieldsOf(value, place) : null
    },
    isTrue: (field) => valueOf(field) === true,
    has: (field) => valueOf(field) != null,
  }
}

/** A number without an exponent. */
const decimal = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(10).replace(/0+$/, '')
