import {
  alreadyExists,
  cardNumberFields,
  cardNumberMessage,
  type Fault,
  inputError,
  invalidValue,
} from '@commerce-graph/contract/input'
import type { z } from 'zod'
import { customerRow, type CustomerRow } from './customer-row.ts'
import { productRow, type ProductRow } from './product-row.ts'

/** The place of a row, for people (file and line) and for the state file (its index in the file). */
interface Location {
  readonly file: string
  readonly line: number
  readonly index: number
}

/** One reason why a row is refused. Codes are those of the API's `ErrorCode`. */
export interface Problem {
  readonly field: string | undefined
  readonly message: string
  readonly code: string
}

export type Row =
  | { readonly kind: 'product'; readonly location: Location; readonly value: ProductRow }
  | { readonly kind: 'customer'; readonly location: Location; readonly value: CustomerRow }

export type RowKind = Row['kind']

/** A row from a reader: a value that is not checked yet, or an unreadable line. */
export type RawRow = { readonly location: Location; readonly kind: RowKind | undefined } & (
  | { readonly value: unknown }
  | { readonly problem: Problem }
)

export interface RefusedRow {
  readonly location: Location
  readonly kind: RowKind | undefined
  /** The SKU or e-mail address, if there is one. */
  readonly key: string | undefined
  readonly problems: readonly Problem[]
}

export type ParsedRow =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'refused'; readonly refused: RefusedRow }

/** The columns or properties that a row of this kind may have at its top level. */
export const fieldsOf = (kind: RowKind): readonly string[] =>
  Object.keys(kind === 'product' ? productRow.shape : customerRow.shape)

/** Checks a row against its schema. Returns all problems at once, one per field. */
export function parseRow(raw: RawRow): ParsedRow {
  const { location } = raw
  if ('problem' in raw) return refused(location, raw.kind, undefined, [raw.problem])
  const kind = raw.kind ?? kindOf(raw.value)
  switch (kind) {
    case 'product': {
      const parsed = productRow.safeParse(raw.value)
      const problems = problemsOf(parsed, raw.value, repeatedSkus)
      return parsed.success && problems.length === 0
        ? { kind: 'row', row: { kind, location, value: parsed.data } }
        : refused(location, kind, keyOf(raw.value, 'sku'), problems)
    }
    case 'customer': {
      const parsed = customerRow.safeParse(raw.value)
      const problems = problemsOf(parsed, raw.value)
      return parsed.success && problems.length === 0
        ? { kind: 'row', row: { kind, location, value: parsed.data } }
        : refused(location, kind, keyOf(raw.value, 'email'), problems)
    }
    case undefined:
      return refused(location, kind, undefined, [
        { field: 'type', message: 'must be "product" or "customer"', code: 'REQUIRED_FIELD' },
      ])
  }
}

/** The key of a row of its kind: the SKU, or the e-mail address ignoring case. */
export const naturalKey = (row: Row): string =>
  row.kind === 'product' ? `sku ${row.value.sku}` : `email ${row.value.email.toLowerCase()}`

export const shownKey = (row: Row): string => (row.kind === 'product' ? row.value.sku : row.value.email)

const refused = (
  location: Location,
  kind: RowKind | undefined,
  key: string | undefined,
  problems: readonly Problem[],
): ParsedRow => ({ kind: 'refused', refused: { location, kind, key, problems } })

function kindOf(value: unknown): RowKind | undefined {
  const type = memberOf(value, 'type')
  return type === 'product' || type === 'customer' ? type : undefined
}

function keyOf(value: unknown, name: string): string | undefined {
  const key = memberOf(value, name)
  return typeof key === 'string' ? key : undefined
}

const memberOf = (value: unknown, name: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[name] : undefined

/** Stock is counted by SKU, so a product and each of its variants have their own. */
function repeatedSkus({ sku, variants }: ProductRow): readonly Problem[] {
  const seen = new Set([sku])
  return (variants ?? []).flatMap((variant, index) => {
    if (seen.has(variant.sku)) return [alreadyExists(`variants.${index}.sku`, variant.sku)]
    seen.add(variant.sku)
    return []
  })
}

// A field that breaks several rules is reported once, with the first of them.
function problemsOf<Value extends object>(
  parsed: z.ZodSafeParseResult<Value>,
  given: unknown,
  others: (value: Value) => readonly Problem[] = () => [],
): Problem[] {
  const problems = [
    ...(parsed.error?.issues.flatMap((issue) => problemsOfIssue(issue, given)) ?? []),
    ...cardNumberFields({ input: parsed.data ?? given }).map((field) =>
      invalidValue(field, cardNumberMessage(field)),
    ),
    ...(parsed.success ? others(parsed.data) : []),
  ]
  return problems.filter(
    (problem, index) => problems.findIndex(({ field }) => field === problem.field) === index,
  )
}

function problemsOfIssue(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...issue.path, key].join('.'),
      message: 'there is no such field',
      code: 'INVALID_VALUE',
    }))
  }
  const field = issue.path.join('.')
  const fault = issue.code === 'custom' ? (issue.params as { fault?: Fault } | undefined)?.fault : undefined
  if (fault !== undefined) return [inputError(field, fault)]
  return [{ field: field || undefined, message: issue.message, code: codeOf(issue, value) }]
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): string {
  const found = issue.path.reduce(memberOf, value)
  if (found === '' || (found === undefined && issue.code === 'invalid_type')) return 'REQUIRED_FIELD'
  switch (issue.code) {
    case 'too_small':
    case 'too_big':
      return 'OUT_OF_RANGE'
    case 'invalid_format':
      return 'INVALID_FORMAT'
    default:
      return 'INVALID_VALUE'
  }
}
