import { catalogue, type CatalogueError } from '@commerce-graph/contract/errors'

/** The fields that all errors of one answer have in common. */
export interface AnswerContext {
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** An error as the answer's `errors` holds it. */
export function errorBody(error: CatalogueError, { requestId, now }: AnswerContext): object {
  const { id, code, status, message, details, path, locations } = error
  const { errorCode } = catalogue[id]
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: {
      code,
      id,
      ...(errorCode !== null && { errorCode }),
      statusCode: status,
      requestId,
      timestamp: new Date(now).toISOString(),
      details: { field: null, ...details },
    },
  }
}

/** The answer to a request that was refused as a whole: no `data`, since nothing was run. */
export const refusalBody = (errors: readonly CatalogueError[], context: AnswerContext): string =>
  JSON.stringify({ errors: errors.map((error) => errorBody(error, context)) })
