import { Caller, type CallerHeaders, type Credential, type Refresh } from './caller.ts'
import { requireOperation, textOf, type Rest, type TypedDocument, type Variables } from './document.ts'
import { RefreshSessionDocument } from './generated/operations.ts'
import { attempt, type Answer, type Fetch, type HttpRequest } from './http-attempt.ts'
import { mutationResult, queryResult, type Executed } from './read-answer.ts'
import { randomUuid } from './random-uuid.ts'
import { localError, type RequestError } from './request-error.ts'
import type { Result } from './result.ts'
import { defaultRetryPolicy, delayAfter, type RetryPolicy } from './retry-policy.ts'
import { wait } from './wait.ts'

export type ClientOptions = Credential & {
  /** The endpoint, `https://…/graphql`. */
  readonly url: string
  /** The time for one attempt, in milliseconds. 30,000 unless set. */
  readonly timeoutMs?: number
  /** What is not set has its default: 3 retries, of which the first is after 250 ms, and no wait is longer than 10,000 ms. */
  readonly retryPolicy?: Partial<RetryPolicy>
  /** Additional headers of every request, e.g. `X-Client-Address` of a shop's server. */
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the global one. */
  readonly fetch?: Fetch
}

export interface CallOptions {
  /** Ends the request. A mutation may have been executed. */
  readonly signal?: AbortSignal
  /** The time for one attempt, in milliseconds. */
  readonly timeoutMs?: number
  /**
   * Names a mutation, so that it is executed once although it is sent again. The client makes one for each call. Pass your own to
   * send the same mutation again after a restart of your program: within 24 hours.
   */
  readonly idempotencyKey?: string
  /** The key is the caller, although a person has signed in. */
  readonly asKey?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of one shop. Its methods don't throw for what the server or the network does. */
export interface Client {
  readonly url: string
  query<Data, Own>(document: TypedDocument<Data, Own>, ...rest: Rest<Own, CallOptions>): Promise<Result<Data>>
  query<Data = Variables>(
    document: string,
    variables?: Variables,
    options?: CallOptions,
  ): Promise<Result<Data>>
  /**
   * Runs a mutation. Each payload must select `errors { field message code }`: if there are any, the result is not ok, and its
   * error's kind is `refused`.
   */
  mutate<Data, Own>(
    document: TypedDocument<Data, Own>,
    ...rest: Rest<Own, CallOptions>
  ): Promise<Result<Executed<Data>>>
  mutate<Data = Variables>(
    document: string,
    variables?: Variables,
    options?: CallOptions,
  ): Promise<Result<Executed<Data>>>
  /** The headers that name the caller at present, for requests that the client doesn't send. */
  callerHeaders(): Promise<CallerHeaders>
  /**
   * Gets other tokens after the server has refused these headers. Null if there are now, undefined if no person has signed in or
   * `accessToken` returns the same, and otherwise why there are none.
   */
  renewCaller(refused: CallerHeaders): Promise<RequestError | null | undefined>
}

const defaultTimeoutMs = 30_000

/** Throws an Error if the options are wrong, e.g. a secret key in a page. */
export function createClient(options: ClientOptions): Client {
  const { url } = options
  const fetch: Fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init))
  const policy = { ...defaultRetryPolicy, ...options.retryPolicy }

  const refresh: Refresh = async ({ refreshToken, refreshKey }, caller) => {
    const headers = { ...options.headers, ...caller, 'idempotency-key': refreshKey }
    const query = textOf(RefreshSessionDocument)
    const answer = await persevere(
      {
        url,
        headers,
        query,
        variables: { refreshToken },
        signal: undefined,
        timeoutMs: defaultTimeoutMs,
        fetch,
      },
      policy,
    )
    const result = mutationResult<{ readonly refreshSession: Partial<Record<string, string>> }>(answer)
    if (!result.ok) return result.error
    const { accessToken, refreshToken: next } = result.data.refreshSession
    if (accessToken === undefined || next === undefined)
      return localError('internal', 'refreshSession returned no tokens')
    return { accessToken, refreshToken: next }
  }
  const caller = new Caller(options, refresh, randomUuid)

  /** Sends the request, and once more with other tokens if the access token was refused. */
  async function send(
    document: string | TypedDocument<unknown, never>,
    variables: Variables,
    call: CallOptions,
  ): Promise<Answer> {
    const common = {
      url,
      query: textOf(document),
      variables,
      signal: call.signal,
      timeoutMs: call.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs,
      fetch,
    }
    const fixed = {
      ...options.headers,
      ...call.headers,
      'idempotency-key': call.idempotencyKey ?? randomUuid(),
    }
    const from = await caller.headers(call.asKey)
    const answer = await persevere({ ...common, headers: { ...fixed, ...from } }, policy)
    if (!answer.errors.some(({ kind, path }) => kind === 'unauthenticated' && path.length === 0))
      return answer
    const renewal = await caller.renew(from)
    if (renewal === undefined) return answer
    if (renewal !== null) return { data: null, errors: [renewal], requestId: renewal.requestId }
    return persevere({ ...common, headers: { ...fixed, ...(await caller.headers()) } }, policy)
  }

  return {
    url,
    async query(
      document: string | TypedDocument<unknown, never>,
      variables: Variables = {},
      call: CallOptions = {},
    ) {
      requireOperation(document, 'query')
      return queryResult<never>(await send(document, variables, call))
    },
    async mutate(
      document: string | TypedDocument<unknown, never>,
      variables: Variables = {},
      call: CallOptions = {},
    ) {
      requireOperation(document, 'mutation')
      return mutationResult<never>(await send(document, variables, call))
    },
    callerHeaders: () => caller.headers(),
    renewCaller: (refused) => caller.renew(refused),
  }
}

/** Sends a request until it is answered for good. An Idempotency-Key makes that safe, whatever it does. */
async function persevere(request: HttpRequest, policy: RetryPolicy): Promise<Answer> {
  for (let number = 1; ; number++) {
    const answer = await attempt(request)
    const delay = delayAfter(number, answer.errors, policy, Math.random())
    if (delay === null) return answer
    if (!(await wait(delay, request.signal))) {
      const error = localError('aborted', 'The request was aborted.')
      return { data: null, errors: [error], requestId: null }
    }
  }
}
