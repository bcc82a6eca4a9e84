import type { IncomingHttpHeaders } from 'node:http'
import {
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  decodeJwt,
  errors,
  jwtVerify,
} from 'jose'
import type { Logger } from 'pino'
import { HasuraError } from '../hasura-error.ts'
import { createJwkSet } from './jwk-set.ts'
import { readClaims } from './jwt-claims.ts'
import type { JwtSecret, TokenLocation } from './jwt-config.ts'
import { type Session, createSession } from './types.ts'

/** Authenticates requests by their tokens. */
export interface JwtVerifier {
  /** The session of the request's token; undefined without a token. Throws HasuraError. */
  verify(headers: IncomingHttpHeaders): Promise<Session | undefined>
}

/** Verifies the tokens of one secret. */
interface Issuer {
  readonly secret: JwtSecret
  readonly verify: (token: string) => Promise<JWTPayload>
}

/** The algorithms of a key set's keys. Symmetric ones are not allowed. */
const asymmetric = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** The longest token, in characters. */
const maxTokenLength = 64 * 1024

/**
 * Follows Hasura's order: each secret reads the token from its own place in the request, and ignores a token of another
 * issuer. Exactly one token must remain, which is verified. Then the role is chosen.
 */
export function createJwtVerifier(secrets: readonly JwtSecret[], logger: Logger): JwtVerifier {
  const issuers = secrets.map((secret) => createIssuer(secret, logger))
  return {
    verify: async (headers) => {
      const found = issuers.flatMap((issuer) => {
        const token = tokenAt(issuer.secret.location, headers)
        return token === undefined ? [] : [{ issuer, token }]
      })
      if (found.length === 0) return undefined
      const matching = found.filter(({ issuer, token }) => mayBeFrom(issuer.secret, token))
      const [match] = matching
      if (match === undefined) throw invalidToken('JWTNotInIssuer')
      if (matching.length > 1)
        throw new HasuraError('invalid-headers', 'Could not verify JWT: Multiple JWTs found')
      return sessionOf(await match.issuer.verify(match.token), match.issuer.secret, headers)
    },
  }
}

function createIssuer(secret: JwtSecret, logger: Logger): Issuer {
  const { keys, allowedSkewSeconds: clockTolerance } = secret
  const check = (verified: { readonly payload: JWTPayload }): JWTPayload => checked(verified.payload, secret)
  if (keys.kind === 'key') {
    const options = { algorithms: [...keys.algorithms], clockTolerance }
    return {
      secret,
      verify: (token) => translated(async () => check(await jwtVerify(token, keys.key, options))),
    }
  }
  const set = createJwkSet(keys.url, logger)
  void set.warmUp()
  const options = { algorithms: asymmetric, clockTolerance }
  return {
    secret,
    verify: (token) => translated(async () => check(await verifyWithSet(token, set.getKey, options))),
  }
}

/** Several keys of a set may fit a token without a `kid`; each is tried. */
async function verifyWithSet(
  token: string,
  getKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<{ readonly payload: JWTPayload }> {
  try {
    return await jwtVerify(token, getKey, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (inner) {
        if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** As in Hasura, a claim that the token lacks is not compared. */
function checked(payload: JWTPayload, { audience, issuer, allowedSkewSeconds }: JwtSecret): JWTPayload {
  if (payload.iat !== undefined && payload.iat > Date.now() / 1_000 + allowedSkewSeconds)
    throw invalidToken('JWTIssuedAtFuture')
  if (issuer !== undefined && payload.iss !== undefined && payload.iss !== issuer)
    throw invalidToken('JWTNotInIssuer')
  const given = payload.aud === undefined ? undefined : [payload.aud].flat()
  if (audience.length > 0 && given !== undefined && !given.some((one) => audience.includes(one)))
    throw invalidToken('JWTNotInAudience')
  return payload
}

/** Translates jose's errors to the words of Hasura's library. */
async function translated(verify: () => Promise<JWTPayload>): Promise<JWTPayload> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw invalidToken('JWTExpired')
    if (error instanceof errors.JWTClaimValidationFailed)
      throw invalidToken(
        error.claim === 'nbf' ? 'JWTNotYetValid' : `JWTClaimsSetDecodeError "${error.message}"`,
      )
    if (error instanceof errors.JWKSNoMatchingKey) throw invalidToken('JWSError NoUsableKeys')
    if (error instanceof errors.JWTInvalid) throw invalidToken(`JWTClaimsSetDecodeError "${error.message}"`)
    if (error instanceof errors.JWSInvalid) throw invalidToken(`JWSError (${error.message})`)
    if (error instanceof errors.JOSEError) throw invalidToken('JWSError JWSInvalidSignature')
    // jose throws a TypeError when the key doesn't fit the token's algorithm.
    if (error instanceof TypeError) throw invalidToken('JWSError JWSInvalidSignature')
    throw error
  }
}

const invalidToken = (reason: string): HasuraError =>
  new HasuraError('invalid-jwt', `Could not verify JWT: ${reason}`)

function tokenAt(location: TokenLocation, headers: IncomingHttpHeaders): string | undefined {
  const token = textAt(location, headers)
  if (token !== undefined && token.length > maxTokenLength)
    throw invalidToken('JWSError (the token is too long)')
  return token
}

function textAt(location: TokenLocation, headers: IncomingHttpHeaders): string | undefined {
  switch (location.kind) {
    case 'authorization': {
      const { authorization } = headers
      if (authorization === undefined) return undefined
      const [scheme, token, ...more] = authorization.trim().split(/\s+/)
      if (scheme !== 'Bearer' || token === undefined || more.length > 0)
        throw new HasuraError('invalid-headers', 'Malformed Authorization header')
      return token
    }
    case 'cookie':
      return cookieNamed(headers.cookie ?? '', location.name)
    case 'header': {
      const value = headers[location.name]
      return typeof value === 'string' ? value : undefined
    }
    default:
      return location satisfies never
  }
}

function cookieNamed(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at < 0 || pair.slice(0, at).trim() !== name) continue
    const value = pair.slice(at + 1).trim()
    return /^".*"$/.test(value) ? value.slice(1, -1) : value
  }
  return undefined
}

/**
 * Whether the issuer may have issued the token. An unreadable token counts as possible; its verification finds the
 * error.
 */
function mayBeFrom({ issuer }: JwtSecret, token: string): boolean {
  if (issuer === undefined) return true
  try {
    const { iss } = decodeJwt(token)
    return iss === undefined || iss === issuer
  } catch {
    return true
  }
}

function sessionOf(payload: JWTPayload, secret: JwtSecret, headers: IncomingHttpHeaders): Session {
  const { allowedRoles, defaultRole, variables } = readClaims(payload, secret.claims)
  const requested = headers['x-hasura-role']
  const role = typeof requested === 'string' && requested !== '' ? requested : defaultRole
  if (!allowedRoles.includes(role))
    throw new HasuraError('access-denied', 'Your requested role is not in allowed roles')
  const session = createSession(role, variables)
  return payload.exp === undefined
    ? session
    : { ...session, expiresAt: (payload.exp + secret.allowedSkewSeconds) * 1_000 }
}
