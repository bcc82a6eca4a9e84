import type { GraphQLError } from '../graphql-request.ts'
import { RequestError } from '../plan/request-error.ts'
import { isStackOverflow } from '../stack-overflow.ts'

/** An error of a running operation, in its final form. An error of Postgres is its cause. */
export class RequestFailure extends Error {
  readonly error: GraphQLError

  constructor(error: GraphQLError, options?: ErrorOptions) {
    super(error.message, options)
    this.error = error
  }
}

/** A variable's value doesn't fit the cached plan. Planning without the cache throws the client's error. */
export class RefusedVariable extends Error {}

/** The client's error of a thrown refusal; undefined for a bug or a broken connection. */
export function failureOf(error: unknown): GraphQLError | undefined {
  if (error instanceof RequestFailure) return error.error
  if (error instanceof RequestError)
    return { message: error.message, extensions: { path: error.path, code: error.code } }
  if (error instanceof Error && error.name === 'AbortError')
    return { message: 'the request was cancelled', extensions: { path: '$', code: 'unexpected' } }
  if (isStackOverflow(error))
    return {
      message: 'the request is nested too deeply',
      extensions: { path: '$', code: 'validation-failed' },
    }
  return undefined
}
