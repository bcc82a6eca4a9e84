/**
 * A deployment's keys, cart secrets and mailed tokens name the place where the merchant lives: `cg_live_main_…`. So a
 * front end of several deployments can route a request without a database. This module makes and reads all texts with
 * a place.
 */

/** The place of a deployment that isn't told another one. */
export const defaultPlace = 'main'

/** One to six characters, so that it fits into a payment's reference (ISO 11649). */
const placeForm = /^[a-z][a-z0-9]{0,5}$/

/** 256 bits in base64url. */
const randomForm = /^[A-Za-z0-9_-]{43}$/

export const isPlace = (text: string): boolean => placeForm.test(text)

/** @param kind what the text begins with, like `cg_live_`; empty for a token that stands in a link */
export const tagged = (kind: string, place: string, secret: string): string => `${kind}${place}_${secret}`

export interface Tagged {
  /** Null: the text was made before texts named a place. */
  readonly place: string | null
  readonly secret: string
}

/**
 * The place and the secret of a text of this kind; null if it isn't one. The lengths of secrets tell a place from a
 * secret's first characters.
 *
 * @param form of the whole secret
 */
export function readTagged(kind: string, text: string, form = randomForm): Tagged | null {
  if (!text.startsWith(kind)) return null
  const rest = text.slice(kind.length)
  if (form.test(rest)) return { place: null, secret: rest }
  const end = rest.indexOf('_')
  const place = rest.slice(0, Math.max(end, 0))
  const secret = rest.slice(end + 1)
  return isPlace(place) && form.test(secret) ? { place, secret } : null
}

/** Whether a text was made at this place, as far as it says. */
export const isOf = (place: string, read: Tagged): boolean => read.place === null || read.place === place
