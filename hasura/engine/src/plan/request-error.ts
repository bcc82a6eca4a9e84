/** The codes of Hasura that the compiler and the executor use. */
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
 * A request that can't be answered, in Hasura's words. It is an exception, because a refusal can come from any depth of
 * a document; `execute` turns it into a result.
 */
export class RequestError extends Error {
  readonly code: ErrorCode
  /** As in `$.selectionSet.author.args.where`. */
  readonly path: string

  constructor(message: string, path: string, code: ErrorCode = 'validation-failed') {
    super(message)
    this.code = code
    this.path = path
  }
}
