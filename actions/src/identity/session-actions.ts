import type { SecretBox } from '@commerce-graph/secret-box'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  invalid,
  notFound,
  sessionEnded,
  told,
  tooManyAttempts,
} from '../action/answer.ts'
import { userError } from '../action/input.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import { mergeCart } from '../cart/index.ts'
import type { Database } from '../database.ts'
import { issueMailedToken } from './mailed-tokens.ts'
import { commonPasswordErrors } from './password-rule.ts'
import type { Passwords } from './passwords.ts'
import { registerCustomer } from './registration.ts'
import { openSession, refreshSession, revokeSession, signOut, type Tokens } from './sessions.ts'
import { recognise, type SignInOutcome } from './sign-in.ts'

export interface SessionOptions {
  readonly database: Database
  readonly tokenIssuer: TokenIssuer
  readonly passwords: Passwords
  readonly secretBox: SecretBox
}

/** Signing in, staying signed in and signing out, by the name of the mutation. */
export function sessionActions({
  database,
  tokenIssuer,
  passwords,
  secretBox,
}: SessionOptions): Readonly<Record<string, Action>> {
  const signIn = { database, passwords, secretBox }
  return {
    signInUser: defineAction('signInUser', {
      answersSecret: true,
      async handle({ session }, { input }) {
        const { merchantId, client } = session
        if (!passwords.hasRoom) return tooManyAttempts(1)
        const recognised = await recognise(signIn, { merchantId, subject: 'USER', client, ...input })
        if (recognised.outcome !== 'recognised') return refusal(recognised)
        const tokens = await openSession(database, tokenIssuer, session, {
          subject: 'USER',
          id: recognised.id,
        })
        return tokens === null
          ? refusal({ outcome: 'wrong_password' })
          : done({ ...tokens, codeRequired: false, merchantId, userId: recognised.id })
      },
    }),
    signInCustomer: defineAction('signInCustomer', {
      answersSecret: true,
      async handle({ session }, { input }) {
        const { merchantId, client } = session
        if (!passwords.hasRoom) return tooManyAttempts(1)
        const recognised = await recognise(signIn, {
          merchantId,
          subject: 'CUSTOMER',
          client,
          code: null,
          ...input,
        })
        if (recognised.outcome !== 'recognised') return refusal(recognised)
        const tokens = await openSession(database, tokenIssuer, session, {
          subject: 'CUSTOMER',
          id: recognised.id,
        })
        return tokens === null
          ? refusal({ outcome: 'wrong_password' })
          : signedIn(database, merchantId, { customerId: recognised.id, tokens, cartId: input.cartId })
      },
    }),
    registerCustomer: register({ database, tokenIssuer, passwords, secretBox }),
    refreshSession: defineAction('refreshSession', {
      answersSecret: true,
      async handle({ session: { merchantId } }, { refreshToken }) {
        const tokens = await refreshSession(database, tokenIssuer, merchantId, refreshToken)
        return tokens === null ? sessionEnded() : done({ ...tokens })
      },
    }),
    signOut: defineAction('signOut', {
      async handle({ session: { merchantId } }, { refreshToken, everywhere }) {
        await signOut(database, merchantId, { refreshToken, everywhere: everywhere ?? false })
        return done({ success: true })
      },
    }),
    revokeSession: defineAction('revokeSession', {
      async handle({ session }, input) {
        const revoked = await revokeSession(database, session, input.id)
        return revoked ? done({ success: true }) : invalid(notFound('id', 'Session'))
      },
    }),
  }
}

const register = ({ database, tokenIssuer, passwords, secretBox }: SessionOptions): Action =>
  defineAction('registerCustomer', {
    check: ({ input: { password } }) => commonPasswordErrors('password', password),
    answersSecret: true,
    async handle({ session }, { input }) {
      const { merchantId } = session
      if (!passwords.hasRoom) return tooManyAttempts(1)
      const passwordHash = await passwords.hash(input.password)
      const opened = await database.begin(async (sql) => {
        const customer = { ...input, marketingOptIn: input.marketingOptIn ?? false, passwordHash }
        const customerId = await registerCustomer(sql, merchantId, customer)
        if (customerId === null) return null
        const person = { subject: 'CUSTOMER', id: customerId } as const
        await issueMailedToken({ sql, secretBox }, merchantId, person, 'EMAIL_VERIFICATION')
        const tokens = await openSession(sql, tokenIssuer, session, person)
        return tokens === null ? null : { customerId, tokens }
      })
      if (opened === null) {
        return invalid({ field: 'email', message: 'The email is taken already', code: 'ALREADY_EXISTS' })
      }
      return signedIn(database, merchantId, { ...opened, cartId: input.cartId })
    },
  })

/** A sign-in succeeds, whatever has become of the guest's cart. */
async function signedIn(
  database: Database,
  merchantId: MerchantId,
  {
    customerId,
    tokens,
    cartId: guestCartId,
  }: { readonly customerId: string; readonly tokens: Tokens; readonly cartId: string | null },
): Promise<Answer> {
  const cartId =
    guestCartId === null
      ? null
      : await mergeCart(database, merchantId, { guestCartId, customerId: customerId as CustomerId })
  return done({ ...tokens, merchantId, customerId, cartId })
}

function refusal(outcome: Exclude<SignInOutcome, { outcome: 'recognised' }>): Answer {
  switch (outcome.outcome) {
    case 'blocked':
      return tooManyAttempts(outcome.seconds)
    case 'wrong_password':
      return invalid(
        userError('password', { kind: 'value', message: 'The e-mail address or the password is wrong' }),
      )
    case 'code_required':
      return told({ codeRequired: true })
    case 'wrong_code':
      return invalid(userError('code', { kind: 'value', message: 'The code is wrong or was used already' }))
    default:
      return outcome satisfies never
  }
}
