import { HasuraApiError, type HasuraApi } from 'hasura-embedded/migrations'
import { z } from 'zod'
import { type JsonAnswer, NoAnswerInTime, postJson } from './post-json.ts'

/** How long an answer may take, in milliseconds. */
interface AnswerTimes {
  readonly metadata: number
  /** Also the most that a file of a migration may take, because the file is one request. */
  readonly sql: number
}

const answerTimes: AnswerTimes = { metadata: 120_000, sql: 60 * 60_000 }

export interface HasuraApiOptions {
  readonly endpoint: string
  readonly adminSecret: string | undefined
}

const refusal = z.object({
  error: z.string(),
  code: z.string(),
  path: z.string().default('$'),
  internal: z.unknown().optional(),
})

/** The HTTP API of either engine, as hasura-cli uses it. */
export function createHasuraApi(
  { endpoint, adminSecret }: HasuraApiOptions,
  times: AnswerTimes = answerTimes,
): HasuraApi {
  const secret = adminSecret === undefined ? {} : { 'x-hasura-admin-secret': adminSecret }
  const call = async (path: string, body: unknown, timeoutMs: number): Promise<unknown> => {
    const url = new URL(path, withSlash(endpoint))
    const response = await postJson(url, { headers: secret, body, timeoutMs }).catch((error: unknown) => {
      throw new HasuraApiError(unexpected(endpoint, reasonOf(error)))
    })
    if (isGood(response)) return response.body
    const refused = refusal.safeParse(response.body)
    throw new HasuraApiError(
      refused.success
        ? {
            ...refused.data,
            message: `${refused.data.error}${hintFor(refused.data.code, adminSecret)}`,
            internal: refused.data.internal,
          }
        : unexpected(endpoint, `status ${response.status} from ${path}`),
    )
  }
  return {
    metadata: (request) => call('v1/metadata', request, times.metadata),
    runSql: (source, sql) => call('v2/query', { type: 'run_sql', args: { source, sql } }, times.sql),
  }
}

const isGood = ({ status, body }: JsonAnswer): boolean => status >= 200 && status < 300 && body !== undefined

/** The advice to a caller without a secret, appended to the engine's refusal. */
const hintFor = (code: string, adminSecret: string | undefined): string =>
  code === 'access-denied' && adminSecret === undefined
    ? ': give --admin-secret, or set HASURA_GRAPHQL_ADMIN_SECRET'
    : ''

function reasonOf(error: unknown): string {
  if (error instanceof NoAnswerInTime)
    return `${error.message}. It may still do what it was asked to; run the command again, which waits for SQL that still runs`
  return error instanceof Error ? error.message : String(error)
}

function unexpected(endpoint: string, reason: string) {
  const message = `No answer of a Hasura engine at ${endpoint}: ${reason}`
  return { code: 'unavailable', path: '$', message, internal: undefined }
}

/**
 * Ends the URL with a slash, so that its path (`https://example.com/hasura`) is kept when URLs are resolved against it.
 */
const withSlash = (endpoint: string): string => (endpoint.endsWith('/') ? endpoint : `${endpoint}/`)
