import type { GraphQLError } from '../graphql-request.ts'
import { RequestError } from '../plan/request-error.ts'
import { isStackOverflow } from '../stack-overflow.ts'

/** An error that an operation met while it ran, in its final form, on its way to the executor. */
export class RequestFailure extends Error {
  readonly error: GraphQLError

  constructor(error: GraphQLError) {
    super(error.message)
    this.error = error
  }
}

/** A variable doesn't fit the plan that its signature led to; planning without the cache will say why. */
export class RefusedVariable extends Error {}

/** The answer that a thrown refusal stands for; undefined if it is none, but a bug or a broken connection. */
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
