import type { Principal } from '@commerce-graph/auth-webhook'
import type { CatalogueError } from '@commerce-graph/contract/errors'

/** The part of a request that an existing plan needs. */
export interface Request {
  /** The contract's variables, coerced. */
  readonly variables: Readonly<Record<string, unknown>>
  readonly principal: Principal
}

/** The part of a request's work that depends on values: Hasura's variables, page sizes, and what is wrong. */
export interface Bound {
  readonly variables: Record<string, unknown>
  /** By the plan's connections. */
  readonly pageSizes: number[]
  readonly errors: CatalogueError[]
}

/** Reads what a field's arguments say in a request into Hasura's variables. */
export type Binder = (request: Request, bound: Bound) => void

/** A request's values for the variables that a plan's document uses, or everything that is wrong with what was given. */
export function bind(
  {
    binders,
    variables: used,
  }: { readonly binders: readonly Binder[]; readonly variables: ReadonlySet<string> },
  request: Request,
): Bound {
  const bound: Bound = { variables: {}, pageSizes: [], errors: [] }
  for (const binder of binders) binder(request, bound)
  const given = Object.entries(bound.variables)
  if (given.every(([name]) => used.has(name))) return bound
  return { ...bound, variables: Object.fromEntries(given.filter(([name]) => used.has(name))) }
}
