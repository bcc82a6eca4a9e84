import {
  getNullableType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { Fault } from '../input/fault.ts'
import type { InnerFault } from '../input/metadata.ts'
import { textFault } from '../input/text.ts'
import type { BoundRegister } from '../schema/bound-register.ts'
import type { Bounds } from '../schema/bounds.ts'
import { expectedFormat } from '../schema/expected-format.ts'
import { type Format, formatNamed } from './formats.ts'

/** The rule for a value: its type and its bounds. */
export type InputRule =
  | { readonly kind: 'object'; readonly type: string; readonly fields: () => readonly FieldRule[] }
  | {
      readonly kind: 'list'
      readonly bounds: Bounds['list']
      readonly item: InputRule
      readonly itemRequired: boolean
    }
  | {
      readonly kind: 'leaf'
      readonly type: string
      readonly faultOf: (value: unknown) => Fault | null
      /** The faults inside of a value that has none itself. */
      readonly faultsIn: (value: unknown) => readonly InnerFault[]
      /** The value as it is kept, of one without a fault. */
      readonly kept: ((value: string) => string) | null
    }

/** A field of an input, or an argument of a mutation. */
export interface FieldRule {
  readonly name: string
  /** The type is not null. */
  readonly required: boolean
  readonly notNull: boolean
  /** The value that replaces an absent one; undefined: none. */
  readonly default: unknown
  readonly rule: InputRule
}

/** The rules of the arguments of each field of Mutation, by its name. */
export type InputRules = ReadonlyMap<string, readonly FieldRule[]>

/** The rules of the rows of imports, by the input type's name. */
export type RowRules = ReadonlyMap<string, InputRule>

/** Rows come in files, so no argument has their types. Their names end like this. */
export const isRowType = (type: GraphQLNamedType): type is GraphQLInputObjectType =>
  isInputObjectType(type) && /^Import\w+Row$/.test(type.name)

export interface Rules {
  readonly inputRules: InputRules
  readonly rowRules: RowRules
}

export function rulesOf(schema: GraphQLSchema, register: BoundRegister): Rules {
  const mutation = schema.getMutationType()
  const objects = new Map<string, InputRule>()
  const objectRule = (type: GraphQLInputObjectType): InputRule => {
    const known = objects.get(type.name)
    if (known) return known
    let fields: readonly FieldRule[] | undefined
    const rule: InputRule = {
      kind: 'object',
      type: type.name,
      fields: () =>
        (fields ??= Object.values(type.getFields()).map((field) =>
          fieldRule(field, `${type.name}.${field.name}`),
        )),
    }
    objects.set(type.name, rule)
    return rule
  }
  const fieldRule = (field: GraphQLArgument | GraphQLInputField, path: string): FieldRule => {
    const bounds = register.of(path)
    return {
      name: field.name,
      required: isNonNullType(field.type),
      notNull: bounds.notNull ?? false,
      default: field.defaultValue,
      rule: ruleOf(field.type, bounds, false),
    }
  }
  const ruleOf = (given: GraphQLInputType, bounds: Bounds, inList: boolean): InputRule => {
    const type = getNullableType(given)
    if (isListType(type))
      return {
        kind: 'list',
        bounds: bounds.list,
        item: ruleOf(type.ofType, bounds, true),
        itemRequired: isNonNullType(type.ofType),
      }
    if (isInputObjectType(type)) return objectRule(type)
    const format: Format | undefined = bounds.format && formatNamed(bounds.format)
    return {
      kind: 'leaf',
      type: type.name,
      faultOf: leafFault(type, bounds, inList),
      faultsIn: format?.faultsIn ?? (() => []),
      kept: format?.kept ?? null,
    }
  }
  return {
    inputRules: new Map(
      Object.values(mutation?.getFields() ?? {}).map((field) => [
        field.name,
        field.args.map((argument) => fieldRule(argument, `Mutation.${field.name}.${argument.name}`)),
      ]),
    ),
    rowRules: new Map(
      Object.values(schema.getTypeMap())
        .filter(isRowType)
        .map((type) => [type.name, objectRule(type)]),
    ),
  }
}

/** An entry of a list of ids is quoted, and asked for with all the others: it has a bound, which ids alone don't need. */
const listedId = { lines: 'one', min: 1, max: 100 } as const

const largestInteger = 2_147_483_647

function leafFault(type: GraphQLLeafType, bounds: Bounds, inList: boolean): (value: unknown) => Fault | null {
  const wrongForm: Fault = { kind: 'format', expected: expectedFormat(type) }
  if (isEnumType(type))
    return (value) => (typeof value === 'string' && type.getValue(value) ? null : wrongForm)
  const ofBounds = boundFault(bounds, type.name === 'Int' ? largestInteger : Number.MAX_SAFE_INTEGER)
  switch (type.name) {
    case 'String':
      return (value) => (typeof value === 'string' ? ofBounds(value) : wrongForm)
    case 'ID':
      return (value) => {
        if (typeof value !== 'string') return wrongForm
        if (value.trim() === '') return { kind: 'required' }
        return inList ? textFault(value, listedId) : null
      }
    default:
      return (value) => {
        if (typeof value === 'string' && value.trim() === '') return { kind: 'required' }
        try {
          type.parseValue(value)
        } catch {
          return wrongForm
        }
        return ofBounds(value)
      }
  }
}

function boundFault({ length, range, format }: Bounds, largest: number): (value: unknown) => Fault | null {
  const form = format && formatNamed(format)
  return (value) => {
    if (typeof value === 'string') {
      const { multiline = true, ...ends } = length ?? { min: 0, max: Infinity }
      // A form says itself what it takes of Unicode.
      const fault = length || !form ? textFault(value, { lines: multiline ? 'any' : 'one', ...ends }) : null
      return fault ?? form?.faultOf(value) ?? null
    }
    if (typeof value !== 'number') return null
    const { min, max } = { min: range?.min ?? -largest, max: range?.max ?? largest }
    if (range && (value < min || value > max)) return { kind: 'range', value, min, max }
    return form?.faultOf(value) ?? null
  }
}
