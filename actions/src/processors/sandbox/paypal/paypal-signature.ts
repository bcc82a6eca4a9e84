import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The headers of a transmission, which PayPal signs. The sandbox's key is no secret: it moves no money. */
export function transmissionHeaders(
  webhookId: string,
  body: string,
  certUrl: string,
): Readonly<Record<string, string>> {
  const id = randomUUID()
  const time = new Date().toISOString()
  return {
    'paypal-auth-algo': algorithm,
    'paypal-cert-url': certUrl,
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': signatureOf({ id, time, webhookId }, body),
  }
}

const algorithm = 'SHA256withRSA'

interface Transmission {
  readonly id: string
  readonly time: string
  readonly webhookId: string
}

/** Of the transmission, and of the event's bytes by their check sum. */
const signatureOf = ({ id, time, webhookId }: Transmission, body: string): string =>
  createHmac('sha256', 'the sandbox of PayPal')
    .update(`${id}|${time}|${webhookId}|${crc32(body)}`)
    .digest('base64')

/** @param signature as the header has it */
export function isSigned(transmission: Transmission, body: string, signature: string): boolean {
  const [expected, actual] = [Buffer.from(signatureOf(transmission, body)), Buffer.from(signature)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
