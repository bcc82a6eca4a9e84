import { createHash, randomBytes } from 'node:crypto'
import { defaultPlace, readTagged, tagged } from './place-tag.ts'
import type { GuestPrincipal } from './principal.ts'

// `cg_cart_`, the place (place-tag.ts), then 256 random bits in base64url.
const kind = 'cg_cart_'
const secretBytes = 32

/**
 * Makes the secret of a guest's cart. The client that created the cart gets it once; the database stores its
 * SHA-256.
 */
export function newCartSecret(place = defaultPlace): { readonly secret: string; readonly hash: Buffer } {
  const secret = tagged(kind, place, randomBytes(secretBytes).toString('base64url'))
  return { secret, hash: sha256(secret) }
}

/**
 * The header `X-Cart-Secret` as row filters compare it: the text of a bytea. Without a secret, or with an invalid
 * one, it is the empty bytea, which no cart has.
 */
export const cartSecretVariable = (secret: string | undefined): string =>
  secret !== undefined && readTagged(kind, secret) !== null ? `\\x${sha256(secret).toString('hex')}` : '\\x'

/** The guest with a cart that is about to be made, so that the answer can show it: the action gives the cart this secret. */
export function withNewCart(principal: GuestPrincipal): GuestPrincipal {
  const { secret } = newCartSecret(principal.place)
  return {
    ...principal,
    sessionVariables: {
      ...principal.sessionVariables,
      'x-hasura-cart-secret-hash': cartSecretVariable(secret),
      'x-hasura-new-cart-secret': secret,
    },
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
