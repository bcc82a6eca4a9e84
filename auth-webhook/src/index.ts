export { actorOf } from './actor.ts'
export { apiKeyMode, generateApiKey, hashApiKey, type GeneratedApiKey } from './api-key.ts'
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
export { rateHolderOf } from './principal.ts'
export type {
  CustomerPrincipal,
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
