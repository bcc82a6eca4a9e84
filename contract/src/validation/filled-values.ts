import type { FieldRule, InputRule } from './input-rules.ts'

type Values = Readonly<Record<string, unknown>>

/** An input in which null stands for what was not given. */
export type Filled<Value> = Value extends readonly (infer Item)[]
  ? readonly Filled<Item>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value]-?:
          | Filled<Exclude<Value[Name], undefined>>
          | (undefined extends Value[Name] ? null : never)
      }
    : Value

/** The values with the contract's default, or else null, in each field that was not given. */
export const filledValues = (fields: readonly FieldRule[], values: Values): Values =>
  Object.fromEntries(
    fields.map(({ name, rule, default: preset }) => {
      const value = values[name] ?? preset
      return [name, value == null ? null : filledValue(rule, value)]
    }),
  )

function filledValue(rule: InputRule, value: unknown): unknown {
  switch (rule.kind) {
    case 'leaf':
      return value
    case 'list':
      return Array.isArray(value) ? value.map((entry: unknown) => filledValue(rule.item, entry)) : value
    case 'object':
      return typeof value === 'object' && value !== null ? filledValues(rule.fields(), { ...value }) : value
    default:
      return rule satisfies never
  }
}
