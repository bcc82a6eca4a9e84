import type { Violation } from './violation.ts'

/**
 * The seam between the platform and Hasura. Nothing outside hasura/ knows which engine stands behind it: the
 * embedded one in this process, or any Hasura over HTTP.
 */
export interface DataLayer {
  /**
   * Runs one operation as the role and with the session variables given, admin rights being those of the layer.
   * Rejects only when `signal` aborts (with its reason); everything else is part of the result.
   */
  readonly execute: (
    operation: Operation,
    session: SessionVariables,
    options?: ExecuteOptions,
  ) => Promise<DataLayerResult>
  /**
   * The answers of a subscription: a live query's first one and then each that differs, or a stream's batches. It ends after
   * the first result that is no data (one of kind `unavailable` when the engine goes), or silently when `signal` aborts.
   */
  readonly subscribe: (
    operation: Operation,
    session: SessionVariables,
    options: { readonly signal: AbortSignal },
  ) => AsyncIterable<DataLayerResult>
}

export interface Operation {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

/** Names in lower case (`x-hasura-role`, `x-hasura-merchant-id`), values as Hasura takes them: text. */
export type SessionVariables = Readonly<Record<string, string>>

export interface ExecuteOptions {
  readonly signal?: AbortSignal
  /** Headers of the client that actions forward to their handlers, like `x-request-id` or `idempotency-key`. */
  readonly headers?: Readonly<Record<string, string>>
}

export type DataLayerResult =
  /** `json` is the text of the answer's `data`, as the engine wrote it. */
  | { readonly kind: 'data'; readonly json: string }
  | { readonly kind: 'errors'; readonly errors: readonly HasuraError[] }
  /** No answer could be had. Whether a mutation was carried out is unknown. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** An error as Hasura writes it. An action's handler may choose `extensions` itself, so nothing in it is certain. */
export interface HasuraError {
  readonly message: string
  /** Where the database refused a write for one of its constraints. */
  readonly violation?: Violation
  readonly extensions?: Readonly<Record<string, unknown>> & { readonly code?: string; readonly path?: string }
}
