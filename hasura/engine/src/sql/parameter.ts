/**
 * Where the value of a numbered parameter comes from when a statement runs. The value itself never enters
 * the SQL text, so one prepared statement serves every caller of the operation.
 */
export type ParameterSource =
  /** A leaf of the request's variables, or the whole value if `encoding` says so. */
  | {
      readonly kind: 'variable'
      readonly path: readonly (string | number)[]
      readonly encoding: ParameterEncoding
    }
  | { readonly kind: 'session'; readonly name: string }
  /** All session variables as one JSON object, for functions with a session argument. */
  | { readonly kind: 'session-object' }
  /** A value written in the document. */
  | { readonly kind: 'literal'; readonly text: string | null }
  /** A column of a row that an earlier statement of the same mutation returned. */
  | { readonly kind: 'returned'; readonly statement: number; readonly column: number }
  /** What an action's handler answered, as JSON text. */
  | { readonly kind: 'input'; readonly name: string }

/** How a JSON value is written as Postgres' text format for its type. */
export type ParameterEncoding =
  | { readonly kind: 'scalar'; readonly check: ScalarCheck }
  | { readonly kind: 'array'; readonly check: ScalarCheck }
  | { readonly kind: 'json' }

/** What a variable's JSON value must be before Postgres sees it. */
export type ScalarCheck = 'int' | 'float' | 'boolean' | 'string' | 'uuid' | 'text-or-number' | 'json'

/** Two parameters with the same key share a number. */
export const parameterKey = (source: ParameterSource): string => JSON.stringify(source)
