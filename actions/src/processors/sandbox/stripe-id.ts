import { randomBytes } from 'node:crypto'

/** Stripe's form of ids: a kind, and random characters. */
export const stripeId = (kind: string): string =>
  `${kind}_${randomBytes(15).toString('base64url').replace(/[-_]/g, '0')}`
