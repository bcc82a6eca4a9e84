import type { Json } from '../metadata/parse.ts'

/** A parsed Kriti template: JSON whose values may be computed. */
export type Template =
  | { readonly kind: 'literal'; readonly value: Json }
  /** A text with values in it. */
  | { readonly kind: 'text'; readonly parts: readonly Template[]; readonly at: number }
  | { readonly kind: 'array'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, Template])[] }
  | { readonly kind: 'variable'; readonly name: string; readonly at: number }
  | { readonly kind: 'lookup'; readonly target: Template; readonly steps: readonly Step[] }
  | { readonly kind: 'call'; readonly name: string; readonly argument: Template; readonly at: number }
  | {
      readonly kind: 'operation'
      readonly operator: Operator
      readonly left: Template
      readonly right: Template
      readonly at: number
    }
  | {
      readonly kind: 'if'
      readonly branches: readonly { readonly condition: Template; readonly then: Template }[]
      readonly otherwise: Template
      readonly at: number
    }
  | {
      readonly kind: 'range'
      readonly index: string | undefined
      readonly item: string
      readonly list: Template
      readonly body: Template
      readonly at: number
    }

/** A step into a value. When an optional step finds nothing, the whole lookup is null. */
export interface Step {
  readonly key: Template
  readonly optional: boolean
  readonly at: number
}

/** Operators from the loosest to the tightest; those of one group have the same precedence. */
export const precedence = [['in'], ['||'], ['&&'], ['??'], ['==', '!=', '>=', '<=', '>', '<']] as const

export type Operator = (typeof precedence)[number][number]
