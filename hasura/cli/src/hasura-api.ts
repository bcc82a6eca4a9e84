import { HasuraApiError, type HasuraApi } from 'hasura-embedded/migrations'
import { z } from 'zod'

const timeoutMs = 120_000

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
export function createHasuraApi({ endpoint, adminSecret }: HasuraApiOptions): HasuraApi {
  const call = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetchJson(new URL(path, withSlash(endpoint)), adminSecret, body)
    const refused = refusal.safeParse(response.body)
    if (response.ok && response.body !== undefined) return response.body
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
    metadata: (request) => call('v1/metadata', request),
    runSql: (source, sql) => call('v2/query', { type: 'run_sql', args: { source, sql } }),
  }
}

/** The advice to a caller without a secret, appended to the engine's refusal. */
const hintFor = (code: string, adminSecret: string | undefined): string =>
  code === 'access-denied' && adminSecret === undefined
    ? ': give --admin-secret, or set HASURA_GRAPHQL_ADMIN_SECRET'
    : ''

async function fetchJson(
  url: URL,
  adminSecret: string | undefined,
  body: unknown,
): Promise<{ ok: boolean; status: number; body: unknown }> {
  const secret = adminSecret === undefined ? {} : { 'x-hasura-admin-secret': adminSecret }
  const post = { method: 'POST', headers: { 'content-type': 'application/json', ...secret } }
  const init = body === undefined ? {} : { ...post, body: JSON.stringify(body) }
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
    return { ok: response.ok, status: response.status, body: parse(await response.text()) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new HasuraApiError(unexpected(url.origin, cause instanceof Error ? cause.message : String(cause)))
  }
}

function unexpected(endpoint: string, reason: string) {
  const message = `No answer of a Hasura engine at ${endpoint}: ${reason}`
  return { code: 'unavailable', path: '$', message, internal: undefined }
}

/**
 * Ends the URL with a slash, so that its path (`https://example.com/hasura`) is kept when URLs are resolved against it.
 */
const withSlash = (endpoint: string): string => (endpoint.endsWith('/') ? endpoint : `${endpoint}/`)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
