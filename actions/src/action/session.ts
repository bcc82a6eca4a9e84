import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import { z } from 'zod'

interface SessionOf {
  readonly merchantId: MerchantId
  readonly permissions: ReadonlySet<string>
  /** The network of the person's own client; absent where it isn't known. */
  readonly client?: string | undefined
  /** The client's name for its device; absent if unknown. */
  readonly device?: string | undefined
}

/** The caller of an action, from Hasura's session variables. */
export type Session =
  | (SessionOf & {
      readonly role: 'merchant'
      /** The API key, and the user, that the request came with. */
      readonly keyId?: string | undefined
      readonly userId?: string | undefined
    })
  /** A shopper, for whom only its own carts, orders and payments exist. */
  | (SessionOf & { readonly role: 'customer'; readonly customerId: CustomerId })
  /** A visitor of a storefront, for whom only the cart exists whose secret it has. */
  | (SessionOf & {
      readonly role: 'guest'
      /** The publishable key. */
      readonly keyId: string
      /** SHA-256 of the cart's secret. Empty where the request has none: that is no cart's. */
      readonly cartSecretHash: Buffer
      /** For a cart that is about to be made; absent where the action makes the secret. */
      readonly newCartSecret?: string | undefined
    })

/** An operator of the platform. It has no merchant, and its calls name one if they need it. */
export interface OperatorSession {
  readonly role: 'operator'
  readonly operatorKeyId: string
}

export type AnySession = Session | OperatorSession

export type Role = AnySession['role']

const shared = {
  'x-hasura-merchant-id': z.guid().transform((id) => id as MerchantId),
  'x-hasura-permissions': z.string().transform(parsePermissions),
  'x-hasura-client-network': z.string().min(1).max(64).optional(),
  'x-hasura-client-device': z.string().min(1).max(500).optional(),
}

/** Reads session variables, which Hasura sends with names in lower case. */
export const sessionVariables = z
  .discriminatedUnion('x-hasura-role', [
    z.object({
      'x-hasura-role': z.literal('merchant'),
      'x-hasura-key-id': z.guid().optional(),
      'x-hasura-user-id': z.guid().optional(),
      ...shared,
    }),
    z.object({
      'x-hasura-role': z.literal('customer'),
      'x-hasura-customer-id': z.guid().transform((id) => id as CustomerId),
      ...shared,
    }),
    z.object({
      'x-hasura-role': z.literal('guest'),
      'x-hasura-key-id': z.guid(),
      'x-hasura-cart-secret-hash': z
        .string()
        .regex(/^\\x([0-9a-f]{64})?$/)
        .transform((text) => Buffer.from(text.slice(2), 'hex')),
      'x-hasura-new-cart-secret': z.string().max(100).optional(),
      ...shared,
    }),
    z.object({ 'x-hasura-role': z.literal('operator'), 'x-hasura-operator-key-id': z.guid() }),
  ])
  .transform((variables): AnySession => {
    if (variables['x-hasura-role'] === 'operator')
      return { role: 'operator', operatorKeyId: variables['x-hasura-operator-key-id'] }
    const common = {
      merchantId: variables['x-hasura-merchant-id'],
      permissions: variables['x-hasura-permissions'],
      client: variables['x-hasura-client-network'],
      device: variables['x-hasura-client-device'],
    }
    switch (variables['x-hasura-role']) {
      case 'merchant':
        return {
          role: 'merchant',
          ...common,
          keyId: variables['x-hasura-key-id'],
          userId: variables['x-hasura-user-id'],
        }
      case 'customer':
        return { role: 'customer', customerId: variables['x-hasura-customer-id'], ...common }
      case 'guest':
        return {
          role: 'guest',
          keyId: variables['x-hasura-key-id'],
          cartSecretHash: variables['x-hasura-cart-secret-hash'],
          newCartSecret: variables['x-hasura-new-cart-secret'],
          ...common,
        }
      default:
        return variables satisfies never
    }
  })

/** Only this customer's records exist for the session; null: all of the merchant's do. */
export const ownerOf = (session: Session): CustomerId | null =>
  session.role === 'customer' ? session.customerId : null

/** By what a guest has its cart; null for callers who need no secret. */
export const cartSecretOf = (session: Session): Buffer | null =>
  session.role === 'guest' ? session.cartSecretHash : null

/** The caller's id in ledgers and histories; null if the session has none. */
export function principalOf(session: Session): string | null {
  if (session.role === 'customer') return `customer:${session.customerId}`
  if (session.role === 'guest') return `key:${session.keyId}`
  if (session.userId !== undefined) return `user:${session.userId}`
  return session.keyId === undefined ? null : `key:${session.keyId}`
}

// A Postgres array literal of names without quotes or commas: `{orders:read,orders:write}`. A quoted element is no
// permission that anything here asks for, so it may be read as it stands.
function parsePermissions(literal: string): ReadonlySet<string> {
  return new Set(
    literal
      .replace(/^\{|\}$/g, '')
      .split(',')
      .filter((name) => name !== ''),
  )
}
