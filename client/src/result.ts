import { RequestFailed, type RequestError } from './request-error.ts'

/** What a request has led to. */
export type Result<Data> = Success<Data> | Failure

export interface Success<Data> {
  readonly ok: true
  readonly data: Data
  /** Names the request to the support of the API. */
  readonly requestId: string | null
}

export interface Failure {
  readonly ok: false
  /** The first one of `errors`. */
  readonly error: RequestError
  readonly errors: readonly [RequestError, ...RequestError[]]
  /**
   * The part of the data that was answered, by root field; null if the request was refused as a whole. A query has null where a
   * permission is missing. A declined payment is in it.
   */
  readonly data: Readonly<Record<string, unknown>> | null
}

/** The data of a result. Throws RequestFailed if it has none. */
export function unwrap<Data>(result: Result<Data>): Data {
  if (result.ok) return result.data
  throw new RequestFailed(result.error)
}
