import type { WebhookEvent } from './generated/webhook-events.ts'
import { webCrypto } from '#web-crypto'

export type { WebhookEvent, WebhookPayloads, WebhookTopic } from './generated/webhook-events.ts'

/** What was sent to a webhook endpoint, after its signature was verified. */
export type VerifiedWebhook<Payload> =
  | {
      readonly ok: true
      /** The same for each repetition of a message: the key to recognise a repetition by. */
      readonly id: string
      /** When this attempt was made. */
      readonly sentAt: Date
      readonly payload: Payload
    }
  | { readonly ok: false; readonly reason: WebhookRefusal }

/**
 * - `missing-header`: `webhook-id`, `webhook-timestamp` or `webhook-signature` is absent or malformed.
 * - `wrong-signature`: no signature is one of the secrets', for this body.
 * - `too-old`, `too-new`: the message was sent too long ago, or its clock is wrong.
 * - `not-json`: the body is signed, but isn't JSON.
 */
export type WebhookRefusal = 'missing-header' | 'wrong-signature' | 'too-old' | 'too-new' | 'not-json'

/** The headers of a request, as Node (`request.headers`) or Fetch (`request.headers`) have them. */
export type WebhookHeaders = FetchHeaders | NodeHeaders

interface FetchHeaders {
  get(name: string): string | null
}

type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

const isOfFetch = (headers: WebhookHeaders): headers is FetchHeaders => typeof headers['get'] === 'function'

export interface VerifyOptions {
  /** How old a message may be, and how far in the future, in seconds. 300 unless set. */
  readonly toleranceSeconds?: number
}

/** A sender has two secrets while one replaces the other. More signatures are not looked at. */
const maxSignatures = 10

/**
 * Verifies a webhook by Standard Webhooks (HMAC-SHA256).
 *
 * The payload has the type of the events of docs/webhooks.md; `verifyWebhook<Mine>` names another one.
 *
 * @param secrets of the endpoint, `whsec_…`; during a rotation the old one and the new one
 * @param body the bytes or the text as it was received: JSON that was parsed and written again has another signature
 * @throws TypeError if a secret isn't `whsec_` and Base64: a mistake of the receiver's configuration
 */
export async function verifyWebhook<Payload = WebhookEvent>(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<VerifiedWebhook<Payload>> {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(keyOf)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'))
  if (id === null || timestamp === null || !/^\d{1,12}$/.test(timestamp) || signatures === null)
    return { ok: false, reason: 'missing-header' }
  const age = Date.now() / 1000 - Number(timestamp)
  if (age > toleranceSeconds) return { ok: false, reason: 'too-old' }
  if (age < -toleranceSeconds) return { ok: false, reason: 'too-new' }
  const bytes = bytesOf(body)
  if (!(await isSigned(keys, signatures, signedBytes(`${id}.${timestamp}.`, bytes))))
    return { ok: false, reason: 'wrong-signature' }
  try {
    const payload = JSON.parse(new TextDecoder().decode(bytes)) as Payload
    return { ok: true, id, sentAt: new Date(Number(timestamp) * 1000), payload }
  } catch {
    return { ok: false, reason: 'not-json' }
  }
}

type Bytes = Uint8Array<ArrayBuffer>

function headerOf(headers: WebhookHeaders, name: string): string | null {
  const value = isOfFetch(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : null
}

/** The signatures of version 1, of a header such as `v1,… v1a,… v1,…`. Null if there are none. */
function signaturesOf(header: string | null): readonly Bytes[] | null {
  const signatures = (header ?? '')
    .split(' ')
    .slice(0, maxSignatures)
    .flatMap((signature) => (signature.startsWith('v1,') ? [fromBase64(signature.slice(3))] : []))
    .filter((bytes) => bytes !== null)
  return signatures.length === 0 ? null : signatures
}

function keyOf(secret: string): Bytes {
  const key = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : null
  if (key === null || key.length === 0) throw new TypeError('A webhook secret is whsec_ and Base64')
  return key
}

/** Compares in constant time, as `subtle.verify` does. */
async function isSigned(keys: readonly Bytes[], signatures: readonly Bytes[], data: Bytes): Promise<boolean> {
  const { subtle } = webCrypto
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  for (const bytes of keys) {
    const key = await subtle.importKey('raw', bytes, algorithm, false, ['verify'])
    for (const signature of signatures) if (await subtle.verify('HMAC', key, signature, data)) return true
  }
  return false
}

const bytesOf = (body: string | Uint8Array | ArrayBuffer): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)

function signedBytes(prefix: string, body: Uint8Array): Bytes {
  const start = new TextEncoder().encode(prefix)
  const all = new Uint8Array(start.length + body.length)
  all.set(start)
  all.set(body, start.length)
  return all
}

function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}
