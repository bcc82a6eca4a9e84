import type { ApiKeyId, CustomerId, MerchantId, OperatorKeyId, UserId } from '@commerce-graph/contract/ids'
import { cartSecretVariable } from './cart-secret.ts'
import type { SessionVariables } from './principal.ts'

type Subject =
  | { readonly kind: 'key'; readonly merchantId: MerchantId; readonly keyId: ApiKeyId }
  | { readonly kind: 'user'; readonly merchantId: MerchantId; readonly userId: UserId }
  | { readonly kind: 'customer'; readonly merchantId: MerchantId; readonly customerId: CustomerId }
  | { readonly kind: 'guest'; readonly merchantId: MerchantId; readonly keyId: ApiKeyId }
  | { readonly kind: 'operator'; readonly operatorKeyId: OperatorKeyId }

/**
 * The variables that the row filters in metadata/ read. The roles are metadata's: `merchant`, `customer`, `guest` and
 * `operator`.
 */
export function sessionVariables(subject: Subject, permissions: Iterable<string>): SessionVariables {
  if (subject.kind === 'operator')
    return { 'x-hasura-role': 'operator', 'x-hasura-operator-key-id': subject.operatorKeyId }
  const shared = {
    'x-hasura-merchant-id': subject.merchantId,
    'x-hasura-permissions': postgresArray(permissions),
  } as const
  switch (subject.kind) {
    case 'key':
      return {
        'x-hasura-role': 'merchant',
        ...shared,
        ...principal(subject.keyId),
        'x-hasura-key-id': subject.keyId,
      }
    case 'user':
      return {
        'x-hasura-role': 'merchant',
        ...shared,
        ...principal(subject.userId),
        'x-hasura-user-id': subject.userId,
      }
    case 'customer':
      return { 'x-hasura-role': 'customer', ...shared, 'x-hasura-customer-id': subject.customerId }
    case 'guest':
      return {
        'x-hasura-role': 'guest',
        ...shared,
        'x-hasura-key-id': subject.keyId,
        'x-hasura-cart-secret-hash': cartSecretVariable(undefined),
      }
  }
}

// Row filters on the caller's own rows use this variable, and Hasura refuses a request that lacks it: so every kind
// of a merchant's caller has it.
const principal = (id: ApiKeyId | UserId) => ({ 'x-hasura-principal-id': id }) as const

// Hasura has no lists among session variables: `_in` takes a Postgres array literal. Elements are quoted, so that a
// permission with a comma or brace stays one element.
function postgresArray(elements: Iterable<string>): string {
  const quoted = Array.from(elements, (element) =>
    /^[a-z_:]+$/.test(element) ? element : `"${element.replace(/["\\]/g, '\\$&')}"`,
  )
  return `{${quoted.join(',')}}`
}
