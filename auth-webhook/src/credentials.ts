import { type KeyForm, keyFormOf } from './api-key.ts'
import { refuse, type Refusal } from './authentication.ts'
import { readOperatorKey } from './operator-key.ts'
import { defaultPlace } from './place-tag.ts'
import type { Mode } from './principal.ts'

export type Credential =
  | { readonly kind: 'key'; readonly key: string; readonly mode: Mode }
  | { readonly kind: 'publishable'; readonly key: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'operator'; readonly key: string }

// Node's default bound for all headers together is 16 kB; our tokens are much smaller.
const maxHeaderLength = 4096
const bearer = 'Bearer '
// Compact JWS: three base64url parts.
const tokenForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/**
 * Reads an Authorization header: the word `Bearer`, one space, then the credential, without quotes or further spaces
 * (specification, Authentication 1). A value without the form of a key or a token is refused here, so that it never
 * reaches the database, and so is a key of another place.
 *
 * @param place of this deployment
 */
export function parseCredential(
  authorization: string | undefined,
  place = defaultPlace,
): Credential | Refusal {
  if (authorization === undefined) return refuse('SVC_AUTH_001', 'no Authorization header')
  if (authorization.length > maxHeaderLength) return refuse('SVC_AUTH_001', 'Authorization header too long')
  if (!authorization.startsWith(bearer)) return refuse('SVC_AUTH_001', 'not `Bearer` and one space')
  const value = authorization.slice(bearer.length)
  const form = keyFormOf(value) ?? readOperatorKey(value)
  if (form?.place != null && form.place !== place) return elsewhere(form.place)
  if (form !== null) return credentialOf(value, form)
  if (tokenForm.test(value)) return { kind: 'token', token: value }
  return refuse('SVC_AUTH_001', 'neither the form of a key nor of a token')
}

function credentialOf(key: string, form: Pick<KeyForm, 'mode'> | { readonly operator: true }): Credential {
  if ('operator' in form) return { kind: 'operator', key }
  return form.mode === null ? { kind: 'publishable', key } : { kind: 'key', key, mode: form.mode }
}

/** The key wasn't looked up: the answer is the same for each text with this place. */
const elsewhere = (place: string): Refusal => ({
  ...refuse('SVC_AUTH_001', `a key of the place ${place}`),
  shown: { field: 'Authorization', reason: 'The key belongs to another deployment' },
})
