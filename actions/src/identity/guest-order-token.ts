import { timingSafeEqual } from 'node:crypto'
import { readTagged, tagged } from '@commerce-graph/auth-webhook'
import type { SecretBox } from '@commerce-graph/secret-box'

/**
 * The token by which a guest comes back to an order: the order's id, and a signature of it by the platform's key. Nothing is stored, and a
 * token stays good while the key that signed it is known.
 */
export function guestOrderToken(
  secretBox: SecretBox,
  {
    place,
    merchantId,
    orderId,
  }: { readonly place: string; readonly merchantId: string; readonly orderId: string },
): string {
  const [signature = ''] = signaturesOf(secretBox, merchantId, orderId)
  return tagged('', place, `${orderId}.${signature}`)
}

const form = /^[0-9a-f-]{36}\.[A-Za-z0-9_-]{43}$/

/** The id of the order that a token is of; null for a text that the platform has not signed for this merchant. */
export function orderOfToken(secretBox: SecretBox, merchantId: string, token: string): string | null {
  const [orderId, signature] = readTagged('', token, form)?.secret.split('.') ?? []
  if (orderId === undefined || signature === undefined) return null
  const given = Buffer.from(signature)
  const isSigned = signaturesOf(secretBox, merchantId, orderId).some((known) =>
    timingSafeEqual(Buffer.from(known), given),
  )
  return isSigned ? orderId : null
}

const signaturesOf = (secretBox: SecretBox, merchantId: string, orderId: string): readonly string[] =>
  secretBox.digests(JSON.stringify(['guest order', merchantId, orderId]))
