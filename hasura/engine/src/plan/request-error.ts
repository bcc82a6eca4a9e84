/** Hasura's codes that the compiler and the executor give. */
export type ErrorCode =
  | 'access-denied'
  | 'bad-request'
  | 'constraint-violation'
  | 'data-exception'
  | 'not-found'
  | 'not-supported'
  | 'parse-failed'
  | 'permission-error'
  | 'postgres-error'
  | 'unexpected'
  | 'unexpected-payload'
  | 'validation-failed'

/**
 * A request that can't be answered, as Hasura words it. Thrown inside the stages, because a refusal can come
 * from any depth of a document; `execute` turns it into a value.
 */
export class RequestError extends Error {
  readonly code: ErrorCode
  /** `$.selectionSet.author.args.where`. */
  readonly path: string

  constructor(message: string, path: string, code: ErrorCode = 'validation-failed') {
    super(message)
    this.code = code
    this.path = path
  }
}
