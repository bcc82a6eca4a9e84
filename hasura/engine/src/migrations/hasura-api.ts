export interface HasuraApi {
  /** Sends one command of `/v1/metadata`. Throws HasuraApiError. */
  readonly metadata: (request: MetadataRequest) => Promise<unknown>
  /** Runs SQL through `/v2/query`, in one transaction. Throws HasuraApiError. */
  readonly runSql: (source: string, sql: string) => Promise<unknown>
}

export interface MetadataRequest {
  readonly type: string
  readonly version?: number
  readonly args: unknown
}

/** A refusal of the engine, or its absence. `internal` is the database's error, which Hasura shows to admin. */
export class HasuraApiError extends Error {
  override readonly name = 'HasuraApiError'
  readonly code: string
  readonly path: string
  readonly internal: unknown

  constructor({ code, path, message, internal }: Omit<HasuraApiError, 'name' | 'stack' | 'cause'>) {
    super(message)
    this.code = code
    this.path = path
    this.internal = internal
  }
}
