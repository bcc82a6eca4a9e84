import { type Bounds, loadContract } from '@commerce-graph/contract'
import type { TextBounds } from '@commerce-graph/contract/input'

const { bounds } = loadContract()

/** What the contract holds a field of an input to: `CreateProductInput.name`. */
export function textBounds(path: string): TextBounds {
  const { min, max, multiline } = given(bounds.of(path).length, path)
  return { lines: multiline ? 'any' : 'one', min, max }
}

/** How many entries a list can have. */
export const mostEntries = (path: string): number => given(bounds.of(path).list, path).max

export function numberBounds(path: string): { readonly min: number; readonly max: number } {
  const { min, max } = given(bounds.of(path).range, path)
  return { min: given(min, path), max: given(max, path) }
}

function given<Bound extends Bounds[keyof Bounds] | number>(
  bound: Bound | null | undefined,
  path: string,
): Bound {
  if (bound == null) throw new Error(`The contract has no such bound of ${path}`)
  return bound
}
