import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose'
import type { Logger } from 'pino'

const timeoutMs = 1_500
// An unknown key id causes a request for new keys, but at most one in this time, because clients can invent ids.
const cooldownMs = 10_000
/** After this time the keys are fetched anew. */
const maxAgeMs = 10 * 60 * 1000
/** So old the keys may be that replace those that can't be fetched. They are used for `maxAgeMs` then. */
const keptMs = 60 * 60 * 1000

/**
 * The keys of an external issuer, which are fetched with the first token and cached. While they can't be fetched, the known ones are
 * used. Throws an error that is no JOSEError if there are none, or none of them is the token's: the token may still be valid.
 */
export function issuerKeys(jwksUrl: string, logger: Logger): JWTVerifyGetKey {
  let known: { readonly keys: JSONWebKeySet; readonly fetchedAt: number } | undefined
  let isAway = false

  async function fetchKeys(url: string, options: RequestInit): Promise<Response> {
    try {
      const keys = await validKeys(await fetch(url, options))
      known = { keys, fetchedAt: Date.now() }
      isAway = false
      return Response.json(keys)
    } catch (error) {
      isAway = true
      if (known === undefined || known.fetchedAt + keptMs < Date.now())
        throw new Error(`The keys of ${jwksUrl} can't be fetched`, { cause: error })
      logger.warn(
        { err: error, jwksUrl },
        'the keys of an issuer can not be fetched; the known ones are used',
      )
      return Response.json(known.keys)
    }
  }

  const find = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: maxAgeMs,
    [customFetch]: fetchKeys,
  })
  return async (header, token) => {
    try {
      return await find(header, token)
    } catch (error) {
      if (isAway && error instanceof errors.JWKSNoMatchingKey)
        throw new Error(`${jwksUrl} may have a key that can't be fetched`, { cause: error })
      throw error
    }
  }
}

async function validKeys(response: Response): Promise<JSONWebKeySet> {
  if (response.status !== 200) throw new Error(`The answer has status ${response.status}`)
  const keys = (await response.json()) as JSONWebKeySet
  // Throws if it is no set of keys.
  createLocalJWKSet(keys)
  return keys
}
