import { apiKeyMode } from './api-key.ts'
import { refuse, type Refusal } from './authentication.ts'
import { isOperatorKey } from './operator-key.ts'
import type { Mode } from './principal.ts'

export type Credential =
  | { readonly kind: 'key'; readonly key: string; readonly mode: Mode }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'operator'; readonly key: string }

// Node's default bound for all headers together is 16 kB; no token of ours comes near this.
const maxHeaderLength = 4096
const bearer = 'Bearer '
// Compact JWS: three base64url parts.
const tokenForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/**
 * Reads an Authorization header: the word `Bearer`, one space, then the credential, without quotes or further
 * spaces (specification, Authentication 1). What is neither a key nor a token by its form is refused here, so that
 * garbage never reaches the database.
 */
export function parseCredential(authorization: string | undefined): Credential | Refusal {
  if (authorization === undefined) return refuse('SVC_AUTH_001', 'no Authorization header')
  if (authorization.length > maxHeaderLength) return refuse('SVC_AUTH_001', 'Authorization header too long')
  if (!authorization.startsWith(bearer)) return refuse('SVC_AUTH_001', 'not `Bearer` and one space')
  const value = authorization.slice(bearer.length)
  const mode = apiKeyMode(value)
  if (mode !== undefined) return { kind: 'key', key: value, mode }
  if (isOperatorKey(value)) return { kind: 'operator', key: value }
  if (tokenForm.test(value)) return { kind: 'token', token: value }
  return refuse('SVC_AUTH_001', 'neither the form of a key nor of a token')
}
