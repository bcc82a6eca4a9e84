import type { Json } from './metadata/parse.ts'

/** The error codes of Hasura's API. */
const errorCodes = [
  'access-denied',
  'already-exists',
  'already-tracked',
  'already-untracked',
  'bad-request',
  'busy',
  'conflict',
  'constraint-violation',
  'data-connector-error',
  'data-exception',
  'dependency-error',
  'invalid-configuration',
  'invalid-headers',
  'invalid-json',
  'invalid-jwt',
  'invalid-params',
  'jwt-invalid-claims',
  'jwt-missing-role-claims',
  'metadata-warnings',
  'method-not-allowed',
  'not-exists',
  'not-found',
  'not-supported',
  'parse-failed',
  'permission-denied',
  'permission-error',
  'postgres-error',
  'unexpected',
  'unexpected-payload',
  'validation-failed',
] as const
export type ErrorCode = (typeof errorCodes)[number]

export const isErrorCode = (code: string): code is ErrorCode => errorCodes.some((known) => known === code)

/**
 * A refusal in Hasura's form: `{path, error, code, internal}` and an HTTP status. It is an exception, because it has to
 * roll back a transaction and a bulk of commands; `http/` catches it once per request.
 */
export class HasuraError extends Error {
  override readonly name = 'HasuraError'
  readonly status: number
  readonly code: ErrorCode
  readonly path: string
  readonly internal: Json | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly status?: number; readonly path?: string; readonly internal?: Json } = {},
  ) {
    super(message)
    this.code = code
    this.status = options.status ?? 400
    this.path = options.path ?? '$'
    this.internal = options.internal
  }

  /** The same error with a prefix to its path: `$.args` under `$[2]` becomes `$[2].args`. */
  under(prefix: string): HasuraError {
    const { status, internal } = this
    return new HasuraError(this.code, this.message, {
      status,
      path: `$${prefix}${this.path.slice(1)}`,
      ...(internal === undefined ? {} : { internal }),
    })
  }
}

/** Runs a part of a command. A HasuraError from it gets this step of the path (`.where`, `[2]`). */
export function within<Result>(step: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw error instanceof HasuraError ? error.under(step) : error
  }
}

/** The asynchronous form of `within`. */
export async function withinAsync<Result>(step: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof HasuraError ? error.under(step) : error
  }
}

/** A key as a step of a path: `.name`, or `['$set']` for a key that is no plain name. */
export const pathStep = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `['${key}']`)

/** The body of an error of all endpoints except /v1/graphql. */
export const errorBody = ({ path, message, code, internal }: HasuraError): Json => ({
  ...(internal === undefined ? {} : { internal }),
  path,
  error: message,
  code,
})

export const versionConflict = (referenced: number): HasuraError =>
  new HasuraError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version`,
    { status: 409 },
  )
