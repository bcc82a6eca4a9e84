export { identityActions, type IdentityOptions } from './actions.ts'
export {
  answerPasswordResets,
  forgetMailedToken,
  issueMailedToken,
  openMailedToken,
} from './mailed-tokens.ts'
export { resealAuthenticators } from './second-factor.ts'
export { purgeExpiredIdentities } from './purge.ts'
