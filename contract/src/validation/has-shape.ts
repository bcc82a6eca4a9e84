import type { FieldRule, InputRule } from './input-rules.ts'

type Values = Readonly<Record<string, unknown>>

/** Whether values have the types that the contract gives them, in and out of bounds: then they can be compared with one another. */
export const hasShape = (fields: readonly FieldRule[], values: Values): boolean =>
  fields.every(({ name, required, rule }) => {
    const value = values[name]
    return value == null ? !required : valueHasShape(rule, value)
  })

function valueHasShape(rule: InputRule, value: unknown): boolean {
  switch (rule.kind) {
    case 'leaf':
      return typeof value === (primitives[rule.type] ?? 'string')
    case 'list':
      return (
        Array.isArray(value) &&
        value.every((entry: unknown) =>
          entry == null ? !rule.itemRequired : valueHasShape(rule.item, entry),
        )
      )
    case 'object':
      return typeof value === 'object' && value !== null && hasShape(rule.fields(), { ...value })
    default:
      return rule satisfies never
  }
}

/** The JSON types of scalars; scalars that are not listed here are strings. */
const primitives: Readonly<Record<string, string>> = {
  Int: 'number',
  Float: 'number',
  Money: 'number',
  Boolean: 'boolean',
  JSON: 'object',
}
