import type { SecretBox } from '@commerce-graph/secret-box'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  invalid,
  notFound,
  sessionEnded,
  unchanged,
  tooManyAttempts,
} from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import { cartSecretOf, type Session } from '../action/session.ts'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { mergeCart } from '../cart/index.ts'
import type { Database } from '../database.ts'
import { orderOfToken } from './guest-order-token.ts'
import { issueMailedToken } from './mailed-tokens.ts'
import * as identity from '../sql/generated/identity.ts'
import { commonPasswordErrors } from './password-rule.ts'
import type { Passwords } from './passwords.ts'
import { registerCustomer } from './registration.ts'
import { lacksAuthenticator } from './second-factor.ts'
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
          : done({
              ...tokens,
              codeRequired: false,
              mfaRequired: await lacksAuthenticator(database, { merchantId, userId: recognised.id }),
              merchantId,
              userId: recognised.id,
            })
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
          : signedIn(database, session, { customerId: recognised.id, tokens, cartId: input.cartId })
      },
    }),
    startGuestCheckout: startGuestCheckout({ database, tokenIssuer }),
    openGuestOrder: openGuestOrder({ database, tokenIssuer, secretBox }),
    registerCustomer: register({ database, tokenIssuer, passwords, secretBox }),
    refreshSession: defineAction('refreshSession', {
      answersSecret: true,
      // Sent again from another network, it would use the token twice, and that ends the session.
      provenBy: 'refreshToken',
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
      return signedIn(database, session, { ...opened, cartId: input.cartId })
    },
  })

const openGuestOrder = ({
  database,
  tokenIssuer,
  secretBox,
}: Pick<SessionOptions, 'database' | 'tokenIssuer' | 'secretBox'>): Action =>
  defineAction('openGuestOrder', {
    answersSecret: true,
    async handle({ session }, { token }) {
      const { merchantId } = session
      const orderId = orderOfToken(secretBox, merchantId, token)
      const customerId =
        orderId === null ? null : await identity.guestOfOrder(database, { merchantId, orderId })
      const tokens =
        customerId === null
          ? null
          : await openSession(database, tokenIssuer, session, { subject: 'CUSTOMER', id: customerId })
      return tokens === null
        ? invalid(invalidValue('token', 'The link does not work any more'))
        : done({ ...tokens, customerId, orderId })
    },
  })

const startGuestCheckout = ({
  database,
  tokenIssuer,
}: Pick<SessionOptions, 'database' | 'tokenIssuer'>): Action =>
  defineAction('startGuestCheckout', {
    answersSecret: true,
    async handle({ session }, { input }) {
      const { merchantId } = session
      const { email, name, phone, cartId } = input
      const started = await database.begin(async (sql) => {
        const outcome = await identity.startGuestCheckout(sql, {
          merchantId,
          cartId,
          secretHash: cartSecretOf(session),
          email,
          name: name ?? 'Guest',
          phone,
        })
        if (outcome.outcome !== 'started') return outcome
        const { customerId } = outcome
        const tokens = await openSession(sql, tokenIssuer, session, { subject: 'CUSTOMER', id: customerId })
        if (tokens === null) throw new Error('A customer who was just made can not sign in.')
        return { ...outcome, tokens }
      })
      switch (started.outcome) {
        case 'started':
          return done({ ...started.tokens, merchantId, customerId: started.customerId, cartId })
        case 'unknown_cart':
          return invalid(notFound('cartId', 'Cart'))
        case 'checked_out':
          return invalid(invalidValue('cartId', 'The cart has become an order already'))
        case 'expired':
          return invalid(invalidValue('cartId', 'The cart has expired'))
        default:
          return started satisfies never
      }
    },
  })

/** A sign-in succeeds, whatever has become of the guest's cart. */
async function signedIn(
  database: Database,
  session: Session,
  {
    customerId,
    tokens,
    cartId: guestCartId,
  }: { readonly customerId: string; readonly tokens: Tokens; readonly cartId: string | null },
): Promise<Answer> {
  const { merchantId } = session
  const cartId =
    guestCartId === null
      ? null
      : await mergeCart(database, merchantId, {
          guestCartId,
          secretHash: cartSecretOf(session),
          customerId: customerId as CustomerId,
        })
  return done({ ...tokens, merchantId, customerId, cartId })
}

function refusal(outcome: Exclude<SignInOutcome, { outcome: 'recognised' }>): Answer {
  switch (outcome.outcome) {
    case 'blocked':
      return tooManyAttempts(outcome.seconds)
    case 'wrong_password':
      return invalid(invalidValue('password', 'The e-mail address or the password is wrong'))
    case 'code_required':
      return unchanged({ codeRequired: true })
    case 'wrong_code':
      return invalid(invalidValue('code', 'The code is wrong or was used already'))
    default:
      return outcome satisfies never
  }
}
