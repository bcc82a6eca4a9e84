import { createHash } from 'node:crypto'
import {
  type FieldRule,
  filledValues,
  hasShape,
  type InputRule,
  keptValues,
  onePerField,
  validate,
} from '@commerce-graph/contract'
import { invalidValue, type UserError } from '@commerce-graph/contract/input'
import type { RawRow } from './read-rows.ts'
import { type RecordType, recordTypeNamed, ruleOfRows } from './row-types.ts'
import { longForms } from './long-forms.ts'
import { typedCells } from './typed-cells.ts'

type Values = Readonly<Record<string, unknown>>

/** A row that the contract's rules find good. */
export interface ValidRow {
  readonly line: number
  readonly type: RecordType
  /** With null in each field that the row hasn't got. */
  readonly values: Values
  /** A hash of the row's values, in any order of its fields. */
  readonly fingerprint: string
}

export interface RefusedRow {
  readonly line: number
  readonly type: RecordType | null
  readonly key: string | null
  readonly errors: readonly UserError[]
}

export type ReadRow =
  | { readonly kind: 'valid'; readonly row: ValidRow }
  | { readonly kind: 'refused'; readonly row: RefusedRow }

/** Holds a row of a file to the contract's rules for its type. */
export function readRow(raw: RawRow, defaultType: RecordType | null): ReadRow {
  const { line } = raw
  if ('problem' in raw)
    return { kind: 'refused', row: { line, type: null, key: null, errors: [raw.problem] } }
  if (typeof raw.value !== 'object' || raw.value === null || Array.isArray(raw.value))
    return refused(line, null, {}, [invalidValue('', 'The row is not a JSON object')])
  const { type: named, ...given }: Values = { ...raw.value }
  const type = named === undefined ? defaultType : recordTypeNamed(named)
  if (type === null)
    return refused(line, null, given, [
      invalidValue('type', 'A row is a product, customer, category, promotion, review or order'),
    ])
  const rule = ruleOfRows(type)
  const typed = raw.cells ? (typedCells(rule, given) as Values) : given
  const values = longForms(type, typed)
  const field: FieldRule = { name: 'input', required: true, notNull: false, default: undefined, rule }
  const errors = onePerField([...validate([field], { input: values }), ...unknownFields(rule, values, '')])
  if (errors.length > 0 || !hasShape([field], { input: values })) return refused(line, type, values, errors)
  return {
    kind: 'valid',
    row: {
      line,
      type,
      values: filledValues(rule.fields(), keptValues(rule.fields(), values)),
      fingerprint: fingerprintOf(values),
    },
  }
}

const refused = (
  line: number,
  type: RecordType | null,
  values: Values,
  errors: readonly UserError[],
): ReadRow => ({ kind: 'refused', row: { line, type, key: keyOf(values), errors } })

const keys = ['externalId', 'orderNumber', 'sku', 'email', 'code', 'path', 'name'] as const

/** What the merchant knows a row by. */
export function keyOf(values: Values): string | null {
  for (const name of keys) {
    const value = values[name]
    if (typeof value === 'string' && value !== '') return value.slice(0, 200)
  }
  return null
}

/** A misspelt field would be lost silently. */
function unknownFields(rule: InputRule, value: unknown, prefix: string): readonly UserError[] {
  switch (rule.kind) {
    case 'leaf':
      return []
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((entry: unknown, index) => unknownFields(rule.item, entry, `${prefix}${index}.`))
        : []
    case 'object': {
      if (typeof value !== 'object' || value === null) return []
      const fields = new Map(rule.fields().map((field) => [field.name, field]))
      return Object.entries(value).flatMap(([name, entry]) => {
        const field = fields.get(name)
        return field === undefined
          ? [
              invalidValue(
                `${prefix}${name}`,
                `There is no such field; there are ${[...fields.keys()].join(', ')}`,
              ),
            ]
          : unknownFields(field.rule, entry, `${prefix}${name}.`)
      })
    }
    default:
      return rule satisfies never
  }
}

const fingerprintOf = (values: Values): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(values)))
    .digest('base64url')

/** The value with the fields of its objects in order, and without those that are null. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry != null)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, entry]) => [name, sorted(entry)]),
  )
}
