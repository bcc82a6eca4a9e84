import { randomBytes } from 'node:crypto'
import { createContext } from 'react-router'
import { NonceContext } from './nonce.ts'
import { shopSettings } from './settings.server.ts'

export const NonceProvider = NonceContext.Provider

/** A request's nonce: the root's middleware sets it. */
export const nonceContext = createContext<string>()

export const newNonce = (): string => randomBytes(16).toString('base64url')

/** The pages run their own scripts only, show pictures of the shop only, and call nothing but the shop. */
export function policyFor(nonce: string): string {
  const { url, imageOrigins } = shopSettings()
  const { origin } = new URL(url)
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self'",
    `img-src 'self' data: ${imageOrigins.join(' ')}`,
    `connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
