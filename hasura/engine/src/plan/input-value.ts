import type { ParameterSource } from '../sql/parameter.ts'

/** JSON as a client sends it. A number that JavaScript would round is a RawNumber. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/**
 * An argument, checked against its GraphQL type. Its structure (keys, lengths, enum values, nulls) is known. A leaf is
 * known only by the source of its value, because the plan outlives this request's values.
 */
export type InputValue =
  | { readonly kind: 'null'; readonly path: string }
  | LeafValue
  | { readonly kind: 'enum'; readonly value: string; readonly path: string }
  | ListValue
  | ObjectValue

export interface LeafValue {
  readonly kind: 'leaf'
  /** The GraphQL scalar. */
  readonly scalar: string
  readonly source: ParameterSource
  /** This request's value. A plan may use it only if the signature contains it, too. */
  readonly value: JsonValue
  readonly path: string
}

interface ListValue {
  readonly kind: 'list'
  readonly items: readonly InputValue[]
  /** Set when the whole list is one variable's scalars, so that it can be bound as one array. */
  readonly source: ParameterSource | undefined
  readonly path: string
}

export interface ObjectValue {
  readonly kind: 'object'
  readonly fields: ReadonlyMap<string, InputValue>
  readonly path: string
}
