export { actorOf } from './actor.ts'
export {
  generateApiKey,
  generatePublishableKey,
  hashApiKey,
  prefixOf,
  type GeneratedApiKey,
} from './api-key.ts'
export { newCartSecret, withNewCart } from './cart-secret.ts'
export { guestPermissions } from './guest-permissions.ts'
export type { Authentication, Refusal, RefusalId } from './authentication.ts'
export {
  createAuthenticator,
  type AuthenticationRequest,
  type Authenticator,
  type AuthenticatorOptions,
} from './authenticator.ts'
export {
  createOperatorKey,
  listOperatorKeys,
  type OperatorKey,
  operatorLog,
  type OperatorLogEntry,
  revokeOperatorKey,
} from './operator-key.ts'
export { defaultPlace, isPlace, readTagged, tagged } from './place-tag.ts'
export { isJob, type RateHolder, rateHolderOf } from './principal.ts'
export type {
  CustomerPrincipal,
  GuestPrincipal,
  KeyPrincipal,
  OperatorPrincipal,
  Mode,
  Plan,
  Principal,
  SessionVariables,
  TenantPrincipal,
  UserPrincipal,
} from './principal.ts'
export { shopperPermissions } from './shopper-permissions.ts'
export { type UsedKey, UsedKeys } from './used-keys.ts'
export { startAuthWebhook, type AuthWebhook, type AuthWebhookOptions } from './webhook.ts'
