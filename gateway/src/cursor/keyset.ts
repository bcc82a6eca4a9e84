import type { Condition, Direction, OrderBy, VariableReference } from '../projection/condition.ts'

/** The sort columns of a list. The id makes each position unique. */
export interface Keyset {
  readonly column: string
  readonly direction: Direction
}

export const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')

/**
 * @param backward from the end: the other way round, for the reader to turn around again
 * @param idColumn where the id is
 */
export function keysetOrder(
  { column, direction }: Keyset,
  backward: boolean,
  idColumn = 'id',
): readonly OrderBy[] {
  const actual = backward ? opposite(direction) : direction
  return [
    { path: [column], direction: actual },
    { path: [idColumn], direction: actual },
  ]
}

/**
 * The rows behind a cursor in the given direction.
 *
 * `col <= v AND (col < v OR id < i)` says the same as `(col, id) < (v, i)`, and its first half alone is a range that
 * Postgres reads from the index on (merchant_id, col, id), however deep in the list the page is.
 *
 * @param inclusive with the row at the cursor itself
 * @param idColumn where the id is
 */
export function behind(
  { column, direction }: Keyset,
  value: VariableReference,
  id: VariableReference,
  inclusive: boolean,
  idColumn = 'id',
): Condition {
  const [strictly, orAt] = direction === 'asc' ? ['_gt', '_gte'] : ['_lt', '_lte']
  return {
    _and: [
      { [column]: { [orAt]: value } },
      { _or: [{ [column]: { [strictly]: value } }, { [idColumn]: { [inclusive ? orAt : strictly]: id } }] },
    ],
  }
}
