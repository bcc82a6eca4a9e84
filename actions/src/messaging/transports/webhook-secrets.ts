import type { WebhookSecret } from '../../webhook-signature.ts'

export type { WebhookSecret }

const prefix = 'whsec_'
/** The length that Standard Webhooks requires of a secret. */
const bytes = { min: 24, max: 64 }
/** One that is used, and those that are being replaced. */
const maxSecrets = 5

/** Reads `whsec_…,whsec_…`. @throws Error that says what is wrong, without a secret in it */
export function parseWebhookSecrets(text: string): readonly WebhookSecret[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > maxSecrets) throw new Error(`must be at most ${maxSecrets} secrets`)
  return parts.map(parseSecret)
}

function parseSecret(text: string): WebhookSecret {
  const encoded = text.slice(prefix.length)
  const secret = Buffer.from(encoded, 'base64')
  const isWellFormed = text.startsWith(prefix) && secret.toString('base64') === encoded
  if (!isWellFormed || secret.length < bytes.min || secret.length > bytes.max)
    throw new Error(
      `must be secrets like whsec_… with the base64 of ${bytes.min} to ${bytes.max} bytes, separated by commas`,
    )
  return secret
}
