import type { InputValue, JsonValue, ObjectValue } from './input-value.ts'

/** The arguments as JSON, with defaults. */
export const jsonOfObject = ({ fields }: ObjectValue): JsonValue =>
  Object.fromEntries([...fields].map(([name, value]) => [name, jsonOf(value)]))

export function jsonOf(input: InputValue): JsonValue {
  switch (input.kind) {
    case 'null':
      return null
    case 'leaf':
    case 'enum':
      return input.value
    case 'list':
      return input.items.map(jsonOf)
    case 'object':
      return jsonOfObject(input)
    default:
      return input satisfies never
  }
}
