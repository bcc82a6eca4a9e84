export { signingAlgorithm, VerificationKeys, wrongEncryptionKeys } from './signing-keys.ts'
export * from './token-claims.ts'
export {
  createTokenIssuer,
  type AccessToken,
  type JobTokenRequest,
  type EndpointTokenRequest,
  type TokenIssuer,
  type TokenRequest,
} from './token-issuer.ts'
