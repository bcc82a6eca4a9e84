export { identityActions, type IdentityOptions } from './actions.ts'
export {
  answerPasswordResets,
  forgetMailedToken,
  invitationToHandOver,
  issueMailedToken,
  openMailedToken,
} from './mailed-tokens.ts'
export { hashOf, newMailedToken } from './secrets.ts'
export { hashPassword } from './passwords.ts'
export { resealAuthenticators } from './second-factor.ts'
export { purgeExpiredIdentities } from './purge.ts'
export { guestOrderToken } from './guest-order-token.ts'
