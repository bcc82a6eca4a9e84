import type { RowsPlan } from '../plan/tree.ts'
import type { Predicate } from '../schema/predicate.ts'
import { closedConditions } from './held-conditions.ts'

/** The state of a translation from a plan to SQL. */
export interface Translation {
  readonly aliases: Aliases
  /** Whether numbers that JSON may not represent exactly are answered as strings. */
  readonly stringifyNumbers: boolean
  /** Conditions that hold wherever the translated part is evaluated, so that filters need not repeat them. */
  readonly held: readonly Predicate[]
}

/** The translation of what belongs to one of these rows, which has passed their filter. */
export const withinRow = ({ filter }: RowsPlan, translation: Translation): Translation => ({
  ...translation,
  held: [...translation.held, ...closedConditions(filter)],
})

/** Names `t0`, `t1`, … in the order of the plan, so that the same plan gives the same text. */
export class Aliases {
  #count = 0

  next(): string {
    this.#count += 1
    return `t${this.#count - 1}`
  }
}
