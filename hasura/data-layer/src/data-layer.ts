import type { Validity } from '@commerce-graph/answer-cache'
import type { Violation } from './violation.ts'

/**
 * The seam between the platform and Hasura: the embedded engine in this process, or any Hasura over HTTP. Code outside
 * hasura/ doesn't depend on which of them it is.
 */
export interface DataLayer {
  /**
   * Runs one operation with the role and session variables given; the layer itself has admin rights. Rejects only when
   * `signal` aborts, with its reason; every other failure is a result.
   */
  readonly execute: (
    operation: Operation,
    session: SessionVariables,
    options?: ExecuteOptions,
  ) => Promise<DataLayerResult>
  /**
   * The answers of a subscription: a live query's first answer and each later one that differs, or a stream's batches.
   * It ends after the first result that isn't data (`unavailable` when the engine stops), or without a result when
   * `signal` aborts.
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

/** Names in lower case (`x-hasura-role`, `x-hasura-merchant-id`); values are text, as Hasura requires. */
export type SessionVariables = Readonly<Record<string, string>>

export interface ExecuteOptions {
  readonly signal?: AbortSignal
  /** The client's headers that actions forward to their handlers, like `x-request-id` or `idempotency-key`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The caller keeps answers, as long as they are valid. */
  readonly wantsValidity?: boolean
}

export type DataLayerResult =
  | {
      readonly kind: 'data'
      /** The text of the answer's `data`, as the engine wrote it. */
      readonly json: string
      /** Says whether the answer is still right, where `wantsValidity` asks for it and it can be known. */
      readonly validity?: Validity
    }
  | { readonly kind: 'errors'; readonly errors: readonly HasuraError[] }
  /** The engine gave no answer. Whether a mutation was carried out is unknown. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** An error in Hasura's form. An action's handler may set `extensions` itself, so its content is not guaranteed. */
export interface HasuraError {
  readonly message: string
  /** Present when the database refused a write because of a constraint. */
  readonly violation?: Violation
  readonly extensions?: Readonly<Record<string, unknown>> & { readonly code?: string; readonly path?: string }
}
