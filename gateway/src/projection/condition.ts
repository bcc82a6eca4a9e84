const variable = Symbol('variable')

/** A value that is known only with the request: a variable of the Hasura document. */
export interface VariableReference {
  readonly [variable]: true
  readonly name: string
}

export const variableReference = (name: string): VariableReference => ({ [variable]: true, name })

export const isVariableReference = (value: ConditionValue): value is VariableReference =>
  typeof value === 'object' && variable in value

export type ConditionValue = string | number | boolean | VariableReference | Condition | readonly Condition[]

/** A `where` argument, as Hasura writes its boolean expressions: `{ deleted_at: { _is_null: true } }`. */
export interface Condition {
  readonly [key: string]: ConditionValue
}

export type Direction = 'asc' | 'desc'

/** An `order_by` argument: a path of names that ends in a column, and a direction. */
export interface OrderBy {
  readonly path: readonly [string, ...string[]]
  readonly direction: Direction
}

/** @param path the column's name, after the names of the object relationships that lead to it, with dots between */
function orderBy(path: string, direction: Direction): OrderBy {
  const [first = path, ...rest] = path.split('.')
  return { path: [first, ...rest], direction }
}
export const ascending = (path: string): OrderBy => orderBy(path, 'asc')
export const descending = (path: string): OrderBy => orderBy(path, 'desc')

/** All of the conditions; none when there is nothing to ask for. */
export function all(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const present = conditions.filter((condition) => condition !== undefined)
  return present.length > 1 ? { _and: present } : present[0]
}
