/**
 * The source of a numbered parameter's value when a statement runs. The value itself is never part of the SQL text, so
 * one prepared statement serves every caller of the operation.
 */
export type ParameterSource =
  /** A leaf of the request's variables, or the whole value, depending on `encoding`. */
  | {
      readonly kind: 'variable'
      readonly path: readonly (string | number)[]
      readonly encoding: ParameterEncoding
    }
  | { readonly kind: 'session'; readonly name: string }
  /** All session variables as one JSON object, for functions with a session argument. */
  | { readonly kind: 'session-object' }
  /** A literal of the document. */
  | { readonly kind: 'literal'; readonly text: string | null }
  /** JSON of the document with variables in it: its text, and the variables' names. */
  | {
      readonly kind: 'json-template'
      readonly parts: readonly JsonTemplatePart[]
      readonly scalar: ScalarEncoding
    }
  /** A column of the row that an earlier step of a nested insert has written. */
  | { readonly kind: 'written-column'; readonly step: number; readonly column: number }
  /** The rows that these steps have written, as a JSON array. */
  | { readonly kind: 'written-rows'; readonly steps: readonly number[] }
  /** How many rows all steps of the nested insert have written. */
  | { readonly kind: 'written-count' }
  /** The cursor of a streaming subscription. */
  | { readonly kind: 'cursor' }
  /** JSON text: the answer of an action's handler, or the references of other subgraphs. */
  | { readonly kind: 'answer' }

export type JsonTemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }

/** How a JSON value is checked and written in Postgres's text format. */
export interface ParameterEncoding {
  readonly scalar: ScalarEncoding
  /** The value is a list, written as an array literal. */
  readonly list: boolean
}

/**
 * The first four are GraphQL's scalars; `bigint` is an `Int` of 64 bits that may be a text (`offset`). `any` accepts
 * any JSON, which Postgres checks. A `column-…` is a column's value: a text, which Postgres checks, or JSON of the
 * column's kind.
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
  | 'column-ltree'
  | 'column-geojson'
  | 'column-raster'

/** Two parameters with the same key share a number. */
export const parameterKey = (source: ParameterSource): string => JSON.stringify(source)
