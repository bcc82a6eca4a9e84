import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { print } from 'graphql'
import { ClientError, GraphQLClient } from 'graphql-request'
import { z } from 'zod'
import { ImportStopped, Unavailable } from './api-error.ts'
import { retryAfterMs } from './retry-after.ts'
import { backoffMs, type RetryPolicy } from './retry-policy.ts'
import { sleep } from './sleep.ts'

export interface ApiError {
  /** What the API says of the reason. */
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly statusCode: number | undefined
  readonly requestId: string | undefined
  readonly field: string | undefined
}

export interface ApiAnswer<Data> {
  readonly data: Data
  readonly errors: readonly ApiError[]
}

interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly data?: unknown
  readonly errors?: unknown
}

type Variables = Readonly<Record<string, unknown>>

export interface SendOptions {
  /** Whether running the document twice does no harm. */
  readonly repeatable: boolean
  /** A later request with the same key and document gets the answer of the one that was carried out. */
  readonly idempotencyKey?: string | undefined
}

const requestTimeoutMs = 60_000
// The hour of a plan's rate may have to pass. Only a patient client waits longer than this.
const maxPauseMs = 15 * 60_000
// The specification's retryable statuses (Errors, rule 2).
const retryable = new Set([429, 500, 502, 503, 504])

const graphqlErrors = z.array(
  z.object({
    message: z.string(),
    path: z.array(z.union([z.string(), z.number()])).default([]),
    extensions: z
      .object({
        code: z.string().default('INTERNAL_SERVER_ERROR'),
        statusCode: z.number().optional(),
        requestId: z.string().optional(),
        // The gateway sends null where no field is at fault.
        details: z.object({ field: z.string().nullish(), reason: z.string().nullish() }).nullish(),
      })
      .default({ code: 'INTERNAL_SERVER_ERROR' }),
  }),
)

export const isRetryable = (error: ApiError): boolean =>
  error.statusCode === undefined || retryable.has(error.statusCode)

interface CommerceApiOptions {
  readonly url: string
  readonly key: string
  readonly retryPolicy: RetryPolicy
  /** Stops waiting; running requests still finish. */
  readonly stopping: AbortSignal
  /** Whether it waits for the merchant's rate however long that takes. Otherwise it stops after some time. */
  readonly patient?: boolean
}

/** The request was refused before it was run, so repeating it can't run it twice. */
class RateLimited extends Unavailable {}

/** The public API of one merchant, with a key. It waits when the API asks for it. */
export class CommerceApi {
  readonly url: string
  readonly #client: GraphQLClient
  readonly #retryPolicy: RetryPolicy
  readonly #stopping: AbortSignal
  readonly #patient: boolean
  #notBefore = 0

  constructor({ url, key, retryPolicy, stopping, patient = false }: CommerceApiOptions) {
    this.url = url
    this.#retryPolicy = retryPolicy
    this.#stopping = stopping
    this.#patient = patient
    this.#client = new GraphQLClient(url, {
      errorPolicy: 'all',
      headers: { authorization: `Bearer ${key}` },
    })
  }

  /**
   * Sends one document. Repeats it if the API was unavailable and `repeatable` says that running it twice does no
   * harm.
   *
   * @returns data and errors if the document was run
   * @throws Unavailable if a document that isn't repeatable may not have been run, or only in part
   * @throws ImportStopped if the key is refused, or the API stays unavailable
   */
  async send<Data, Own extends Variables>(
    document: TypedDocumentNode<Data, Own>,
    variables: NoInfer<Own>,
    { repeatable, idempotencyKey }: SendOptions,
  ): Promise<ApiAnswer<Data>> {
    const query = print(document)
    const { attempts } = this.#retryPolicy
    for (let attempt = 1; ;) {
      await this.#pause()
      try {
        // The contract determines the answer's type, so data has the type that was generated for its document.
        return (await this.#sendOnce(query, variables, idempotencyKey)) as ApiAnswer<Data>
      } catch (error) {
        if (!(error instanceof Unavailable) || !(repeatable || error instanceof RateLimited)) throw error
        if (this.#patient && error instanceof RateLimited) {
          await sleep(backoffMs(this.#retryPolicy, attempts), this.#stopping)
          continue
        }
        if (attempt === attempts) {
          throw new ImportStopped(`the API is unavailable: ${error.message}`, { cause: error })
        }
      }
      await sleep(backoffMs(this.#retryPolicy, attempt), this.#stopping)
      attempt += 1
    }
  }

  async #sendOnce(query: string, variables: Variables, key: string | undefined): Promise<ApiAnswer<object>> {
    const response = await this.#request(query, variables, key)
    const errors = graphqlErrors.safeParse(response.errors ?? []).data?.map(apiError)
    if (isObject(response.data) && response.status !== 429) {
      // What failed is unknown, so nothing may count as done.
      if (errors === undefined) throw new ImportStopped(`${this.url} sent errors that are no GraphQL`)
      return { data: response.data, errors }
    }
    const message = errors?.[0]?.message ?? `the answer is no GraphQL (HTTP ${response.status})`
    if (!retryable.has(response.status)) {
      throw new ImportStopped(`${this.url} refused the request (HTTP ${response.status}): ${message}`)
    }
    this.#wait(retryAfterMs(response.headers.get('retry-after'), Date.now()))
    throw response.status === 429 ? new RateLimited(message) : new Unavailable(message)
  }

  async #request(query: string, variables: Variables, key: string | undefined): Promise<RawResponse> {
    try {
      return await this.#client.rawRequest({
        query,
        variables,
        signal: AbortSignal.timeout(requestTimeoutMs),
        ...(key !== undefined && { requestHeaders: { 'idempotency-key': key } }),
      })
    } catch (error) {
      if (error instanceof ClientError) return error.response
      throw new Unavailable(`${this.url} does not answer: ${reasonOf(error)}`, { cause: error })
    }
  }

  // Requests of other batches wait as well, because the limit belongs to the key.
  #wait(milliseconds: number | undefined): void {
    if (milliseconds === undefined) return
    if (milliseconds > maxPauseMs && !this.#patient) {
      throw new ImportStopped(`the API asks to come back in ${Math.ceil(milliseconds / 60_000)} minutes`)
    }
    this.#notBefore = Math.max(this.#notBefore, Date.now() + milliseconds)
  }

  async #pause(): Promise<void> {
    const milliseconds = this.#notBefore - Date.now()
    if (milliseconds > 0) await sleep(milliseconds, this.#stopping)
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function apiError({ message, path, extensions }: z.infer<typeof graphqlErrors>[number]): ApiError {
  const { code, statusCode, requestId, details } = extensions
  const field = details?.field ?? undefined
  return { message: details?.reason ?? message, path, code, statusCode, requestId, field }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
