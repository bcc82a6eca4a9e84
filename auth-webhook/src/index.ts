export { apiKeyMode, generateApiKey, hashApiKey, type GeneratedApiKey } from './api-key.ts'
export * from './audit/index.ts'
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
  NO_MERCHANT,
  type OperatorKey,
  operatorLog,
  type OperatorLogEntry,
  revokeOperatorKey,
} from './operator-key.ts'
export { rateHolderOf } from './principal.ts'
export type {
  ApiKeyId,
  CustomerId,
  CustomerPrincipal,
  KeyPrincipal,
  MerchantId,
  OperatorKeyId,
  OperatorPrincipal,
  Mode,
  Plan,
  Principal,
  SessionVariables,
  TenantPrincipal,
  UserId,
  UserPrincipal,
} from './principal.ts'
export {
  createSecretBox,
  type EncryptionKey,
  formatEncryptionKeys,
  newEncryptionKey,
  parseEncryptionKeys,
  type SecretBox,
} from './secret-box.ts'
export { SHOPPER_PERMISSIONS } from './shopper-permissions.ts'
export { createTokenIssuer, type AccessToken, type TokenIssuer, type TokenRequest } from './token-issuer.ts'
export { MAX_TOKEN_TTL_SECONDS } from './token-claims.ts'
export { trustedIssuer, type TrustedIssuer } from './trusted-issuers.ts'
export { type UsedKey, UsedKeys } from './used-keys.ts'
export { startAuthWebhook, type AuthWebhook, type AuthWebhookOptions } from './webhook.ts'
