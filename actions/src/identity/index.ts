export { identityActions, type IdentityOptions } from './actions.ts'
export { type MailedPurpose, takeUndeliveredTokens, type UndeliveredToken } from './mailed-tokens.ts'
export { purgeExpiredIdentities } from './purge.ts'
