/** What webhooks are signed with: the bytes behind `whsec_`. */
export type WebhookSecret = Buffer

const PREFIX = 'whsec_'
/** What Standard Webhooks asks of a secret. */
const BYTES = { min: 24, max: 64 }
/** One that is used, and those that are being replaced. */
const MAX_SECRETS = 5

/** Reads `whsec_…,whsec_…`. @throws Error that says what is wrong, without a secret in it */
export function parseWebhookSecrets(text: string): readonly WebhookSecret[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > MAX_SECRETS) throw new Error(`must be at most ${MAX_SECRETS} secrets`)
  return parts.map(parseSecret)
}

function parseSecret(text: string): WebhookSecret {
  const encoded = text.slice(PREFIX.length)
  const secret = Buffer.from(encoded, 'base64')
  const isWellFormed = text.startsWith(PREFIX) && secret.toString('base64') === encoded
  if (!isWellFormed || secret.length < BYTES.min || secret.length > BYTES.max)
    throw new Error(
      `must be secrets like whsec_… with the base64 of ${BYTES.min} to ${BYTES.max} bytes, separated by commas`,
    )
  return secret
}
