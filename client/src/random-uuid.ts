import { webCrypto } from '#web-crypto'

/** A UUID of version 4. Pages without HTTPS have no `crypto.randomUUID`. */
export function randomUuid(): string {
  const bytes = webCrypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  // The version is 4, and the variant's first two bits are 10.
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0b11) | 0b1000).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
