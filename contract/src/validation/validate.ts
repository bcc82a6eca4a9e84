import { cardNumberFields, cardNumberMessage } from '../input/card-number-fields.ts'
import { inputError } from '../input/fault.ts'
import { listFault } from '../input/text.ts'
import { invalidValue, requiredField, type UserError } from '../errors/user-error.ts'
import type { FieldRule, InputRule } from './input-rules.ts'

type Values = Readonly<Record<string, unknown>>

interface Options {
  /** The contract takes any text for an id, and finds no record under most; where rows are asked for, it has to be a UUID. */
  readonly ids?: 'any texts' | 'UUIDs'
}

/**
 * Everything that is wrong with a mutation's arguments as far as the contract says what they may be, one error for each field
 * at fault, in the order of the SDL. Paths are within the argument `input`, else from the argument on.
 */
export const validate = (
  rules: readonly FieldRule[],
  args: Values,
  { ids = 'any texts' }: Options = {},
): readonly UserError[] =>
  onePerField([
    ...rules.flatMap((rule) =>
      fieldErrors(
        rule,
        args[rule.name],
        rule.name === 'input'
          ? { path: 'input', prefix: '', ids }
          : { path: rule.name, prefix: `${rule.name}.`, ids },
      ),
    ),
    ...cardNumberFields(args).map((field) => invalidValue(field, cardNumberMessage(field))),
  ])

/** The errors of a list's own bounds. Its entries have rules of their own. */
export const listErrors = (
  { name, required, rule }: FieldRule,
  entries: readonly unknown[],
): readonly UserError[] => (rule.kind === 'list' ? boundErrors(rule, required, entries, name) : [])

/** The first of a field when it has several. */
export function onePerField<Found extends UserError>(errors: readonly Found[]): readonly Found[] {
  const byField = new Map<string, Found>()
  for (const error of errors) if (!byField.has(error.field)) byField.set(error.field, error)
  return [...byField.values()]
}

/** Where a value stands: its own path, and what its fields' paths begin with. */
interface Place extends Required<Options> {
  readonly path: string
  readonly prefix: string
}

const below = ({ prefix, ids }: Place, step: string | number): Place => ({
  path: `${prefix}${step}`,
  prefix: `${prefix}${step}.`,
  ids,
})

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function fieldErrors(
  { required, notNull, rule }: FieldRule,
  value: unknown,
  place: Place,
): readonly UserError[] {
  if (value == null) return required || (notNull && value === null) ? [requiredField(place.path)] : []
  return valueErrors(rule, required, value, place)
}

function valueErrors(rule: InputRule, required: boolean, value: unknown, place: Place): readonly UserError[] {
  switch (rule.kind) {
    case 'leaf': {
      const fault = rule.faultOf(value)
      if (fault !== null) return [inputError(place.path, fault)]
      const inner = rule.faultsIn(value)
      if (inner.length > 0)
        return inner.map(({ path, fault: found }) =>
          inputError(path === '' ? place.path : `${place.path}.${path}`, found),
        )
      return rule.type === 'ID' && place.ids === 'UUIDs' && !uuid.test(String(value))
        ? [inputError(place.path, { kind: 'format', expected: 'id' })]
        : []
    }
    case 'list': {
      if (!Array.isArray(value)) return [inputError(place.path, { kind: 'format', expected: 'list' })]
      const entries: readonly unknown[] = value
      const errors = boundErrors(rule, required, entries, place.path)
      if (errors.length > 0) return errors
      return entries.flatMap((entry, index) => entryErrors(rule, entry, below(place, index)))
    }
    case 'object': {
      if (typeof value !== 'object') return [inputError(place.path, { kind: 'format', expected: 'object' })]
      const given: Values = { ...value }
      return rule.fields().flatMap((field) => fieldErrors(field, given[field.name], below(place, field.name)))
    }
    default:
      return rule satisfies never
  }
}

function entryErrors(
  { item, itemRequired }: Extract<InputRule, { kind: 'list' }>,
  entry: unknown,
  place: Place,
): readonly UserError[] {
  if (entry == null) return itemRequired ? [requiredField(place.path)] : []
  return valueErrors(item, true, entry, place)
}

function boundErrors(
  { bounds }: Extract<InputRule, { kind: 'list' }>,
  required: boolean,
  entries: readonly unknown[],
  path: string,
): readonly UserError[] {
  if (!bounds) return []
  if (required && bounds.min > 0 && entries.length === 0) return [requiredField(path)]
  const fault = listFault(entries.length, bounds.min, bounds.max)
  return fault === null ? [] : [inputError(path, fault)]
}
