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
  /** JSON written in the document with variables inside of it: its text, and their names in between. */
  | {
      readonly kind: 'json-template'
      readonly parts: readonly JsonTemplatePart[]
      readonly scalar: ScalarEncoding
    }
  /** A column of the row that an earlier step of a nested insert wrote. */
  | { readonly kind: 'written-column'; readonly step: number; readonly column: number }
  /** The rows that these steps wrote, as a JSON array. */
  | { readonly kind: 'written-rows'; readonly steps: readonly number[] }
  /** How many rows all steps of the nested insert wrote. */
  | { readonly kind: 'written-count' }
  /** Where a streaming subscription has come to. */
  | { readonly kind: 'cursor' }
  /** What an action's handler answered, or other subgraphs refer to, as JSON text. */
  | { readonly kind: 'answer' }

export type JsonTemplatePart =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'variable'; readonly name: string }

/** How a JSON value is checked and written in Postgres' text format. */
export interface ParameterEncoding {
  readonly scalar: ScalarEncoding
  /** The value is a list, written as an array literal. */
  readonly list: boolean
}

/**
 * The first four are GraphQL's scalars, `bigint` an `Int` of 64 bits that may come as a text (`offset`). `any` takes whatever
 * JSON has: Postgres judges it. A `column-…` is a value of a column: a text, which Postgres judges, or JSON of the column's kind.
 */
export type ScalarEncoding =
  | 'int'
  | 'float'
  | 'boolean'
  | 'string'
  | 'bigint'
  | 'any'
  | 'json'
  | 'column-int2'
  | 'column-int4'
  | 'column-int8'
  | 'column-number'
  | 'column-boolean'
  | 'column-text'
  | 'column-geojson'
  | 'column-raster'

/** Two parameters with the same key share a number. */
export const parameterKey = (source: ParameterSource): string => JSON.stringify(source)
