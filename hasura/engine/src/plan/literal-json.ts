import { Kind, type ValueNode } from 'graphql'
import { unrounded } from '../exact-json.ts'
import type { JsonValue } from './input-value.ts'

/** A value of the document as JSON, whatever its type; numbers keep their digits. An absent variable has no value. */
export function literalJson(
  node: ValueNode,
  variables: Readonly<Record<string, JsonValue>> = {},
): JsonValue | undefined {
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.INT:
    case Kind.FLOAT:
      return unrounded(node.value)
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value
    case Kind.LIST:
      return node.values.map((item) => literalJson(item, variables) ?? null)
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.flatMap(({ name, value }): [string, JsonValue][] => {
          const member = literalJson(value, variables)
          return member === undefined ? [] : [[name.value, member]]
        }),
      )
    case Kind.VARIABLE:
      return variables[node.name.value]
    default:
      return node satisfies never
  }
}
