import { type JWTVerifyGetKey, createLocalJWKSet, errors } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import { readBounded } from '../webhook/read-bounded.ts'
import { splitCredentials, withoutCredentials } from '../webhook/url-credentials.ts'

/** The keys at a `jwk_url`, fetched again when they expire. */
export interface JwkSet {
  /** Fetches the keys before the first request. Never rejects. */
  warmUp(): Promise<void>
  /** Finds a token's key. Throws jose's error for an unknown key. */
  readonly getKey: JWTVerifyGetKey
}

const fetchTimeoutMs = 10_000
const maxBytes = 1024 * 1024
/** The least time between two fetches, even for short-lived keys and after failures. */
const leastIntervalMs = 1_000
/** An unknown key causes another fetch, but forged tokens must not cause many. */
const unknownKeyIntervalMs = 60_000

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(1_000) })

/**
 * Hasura's rule for the expiry: `Cache-Control` (no-cache and no-store: at once; max-age, s-maxage), else `Expires`,
 * else never. In addition, a token with an unknown key causes a fetch, at most once a minute.
 */
export function createJwkSet(url: string, logger: Logger, now: () => number = Date.now): JwkSet {
  let find: JWTVerifyGetKey | undefined
  let fetchedAt = -Infinity
  let expiresAt = 0
  let underWay: Promise<void> | undefined

  const fetchKeys = async (): Promise<void> => {
    fetchedAt = now()
    try {
      const { url: address, authorization } = splitCredentials(url)
      const response = await fetch(address, {
        headers: { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) },
        signal: AbortSignal.timeout(fetchTimeoutMs),
      })
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      const text = await readBounded(response, maxBytes)
      if (text === undefined) throw new Error(`its answer is longer than ${maxBytes} bytes`)
      find = createLocalJWKSet(keySet.parse(JSON.parse(text)))
      expiresAt = keysExpiry(response.headers, now())
    } catch (error) {
      // The previous keys stay in use, and the next request tries again.
      logger.error({ url: withoutCredentials(url), reason: reasonOf(error) }, 'could not fetch the JWK set')
    }
  }

  const refresh = (): Promise<void> => {
    underWay ??= fetchKeys().finally(() => (underWay = undefined))
    return underWay
  }

  return {
    warmUp: refresh,
    getKey: async (header, token) => {
      // As in Hasura, expired keys stay in use while new ones are fetched.
      const isDue = now() >= expiresAt && now() - fetchedAt >= leastIntervalMs
      const refreshing = isDue ? refresh() : underWay
      if (find === undefined) await refreshing
      if (find === undefined) throw new errors.JWKSNoMatchingKey('the JWK set could not be fetched')
      try {
        return await find(header, token)
      } catch (error) {
        const mayAsk = refreshing !== undefined || now() - fetchedAt >= unknownKeyIntervalMs
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAsk) throw error
        await (refreshing ?? refresh())
        return await find(header, token)
      }
    },
  }
}

/** When the keys expire, in milliseconds since the epoch; infinite without such a header. */
function keysExpiry(headers: Headers, now: number): number {
  const cacheControl = headers.get('cache-control')?.toLowerCase()
  if (cacheControl !== undefined) {
    const age =
      /(?:^|[\s,])s-maxage\s*=\s*"?(\d+)/.exec(cacheControl) ??
      /(?:^|[\s,])max-age\s*=\s*"?(\d+)/.exec(cacheControl)
    if (/no-cache|no-store/.test(cacheControl) && !cacheControl.includes('must-revalidate')) return now
    if (age?.[1] !== undefined) return now + Number(age[1]) * 1_000
    if (cacheControl.includes('must-revalidate')) return now
  }
  const expires = Date.parse(headers.get('expires') ?? '')
  return Number.isNaN(expires) ? Infinity : expires
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
