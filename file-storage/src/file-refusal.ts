/** Why a request for a file is refused. */
export interface FileRefusal {
  readonly status: 403 | 404 | 405 | 408 | 413 | 415 | 416 | 503
  /** The part of the request that is at fault. */
  readonly field: string
  readonly reason: string
}
