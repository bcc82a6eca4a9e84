import type { UserError } from '../errors/user-error.ts'
import { type Fault, inputError } from './fault.ts'
import { isUnicodeText, unicodeText } from './text.ts'

/** A fault inside of a value, at a path below it: `erp.weight`; '' for the value itself. */
export interface InnerFault {
  readonly path: string
  readonly fault: Fault
}

/** The largest text of a record's metadata, in bytes; `metadata.most_bytes()` in SQL. */
const mostMetadataBytes = 32_768

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/
const shownName = 64

const form = (path: string, expected: string): InnerFault => ({ path, fault: { kind: 'format', expected } })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The faults of metadata as the database has them (`metadata.form_fault`): an object of namespaces, each an object of keys. What a
 * merchant's definitions say of the values, only the database knows.
 */
export function metadataFaults(given: unknown): readonly InnerFault[] {
  if (!isObject(given)) return [form('', 'object of namespaces')]
  const faults = Object.entries(given).flatMap(([namespace, keys]) => namespaceFaults(namespace, keys))
  if (faults.length > 0) return faults
  const bytes = Buffer.byteLength(JSON.stringify(given))
  return bytes > mostMetadataBytes
    ? [{ path: '', fault: { kind: 'range', value: `of ${bytes} bytes`, min: 0, max: mostMetadataBytes } }]
    : []
}

function namespaceFaults(namespace: string, keys: unknown): readonly InnerFault[] {
  const path = namespace.slice(0, shownName)
  if (!namePattern.test(namespace)) return [form(path, 'namespace of 1 to 64 letters, digits, _ and -')]
  if (keys === null) return []
  if (!isObject(keys)) return [form(path, 'object of keys and values, or null')]
  return Object.entries(keys).flatMap(([key, value]) => {
    const place = `${path}.${key.slice(0, shownName)}`
    if (!namePattern.test(key)) return [form(place, 'key of 1 to 64 letters, digits, _ and -')]
    return holdsOnlyUnicode(value) ? [] : [form(place, unicodeText)]
  })
}

function holdsOnlyUnicode(value: unknown): boolean {
  if (typeof value === 'string') return isUnicodeText(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => isUnicodeText(name) && holdsOnlyUnicode(inner))
}

/** The error of the database's refusal of metadata (`metadata.refuse`); null for any other violation. */
export function metadataError({
  constraint,
  detail,
}: {
  readonly constraint: string | undefined
  readonly detail: string | null | undefined
}): UserError | null {
  if (constraint !== 'metadata_kept' || detail == null) return null
  const { field, fault } = JSON.parse(detail) as { readonly field: string; readonly fault: Fault }
  return inputError(field, fault)
}
