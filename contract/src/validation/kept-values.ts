import type { FieldRule, InputRule } from './input-rules.ts'

type Values = Readonly<Record<string, unknown>>

/** Arguments without a fault as they are kept: countries as codes, typed codes without blanks around them. */
export const keptValues = (fields: readonly FieldRule[], values: Values): Values => ({
  ...values,
  ...Object.fromEntries(
    fields.flatMap(({ name, rule }) => {
      const value = values[name]
      return value == null ? [] : [[name, keptValue(rule, value)]]
    }),
  ),
})

function keptValue(rule: InputRule, value: unknown): unknown {
  switch (rule.kind) {
    case 'leaf':
      return rule.kept !== null && typeof value === 'string' ? rule.kept(value) : value
    case 'list':
      return Array.isArray(value)
        ? value.map((entry: unknown) => (entry == null ? entry : keptValue(rule.item, entry)))
        : value
    case 'object':
      return typeof value === 'object' && value !== null ? keptValues(rule.fields(), { ...value }) : value
    default:
      return rule satisfies never
  }
}
