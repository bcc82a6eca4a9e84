import type { SecretBox } from '@commerce-graph/secret-box'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { Action } from '../action/action.ts'
import type { Database } from '../database.ts'
import { accountActions } from './account-actions.ts'
import { customerAccessActions } from './customer-access-actions.ts'
import { Passwords } from './passwords.ts'
import { sessionActions } from './session-actions.ts'
import { userActions } from './user-actions.ts'

export interface IdentityOptions {
  readonly database: Database
  readonly tokenIssuer: TokenIssuer
  readonly secretBox: SecretBox
}

/** The domain's actions, by the name of the mutation. */
export function identityActions(options: IdentityOptions): Readonly<Record<string, Action>> {
  const passwords = new Passwords()
  return {
    ...userActions(options),
    ...customerAccessActions(options),
    ...sessionActions({ ...options, passwords }),
    ...accountActions({ ...options, passwords }),
  }
}
