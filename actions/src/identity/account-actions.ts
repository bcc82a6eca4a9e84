import type { SecretBox } from '@commerce-graph/secret-box'
import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, forbidden, invalid, tooManyAttempts } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import {
  type Person,
  issueMailedToken,
  requestPasswordReset,
  resetPassword,
  verifyEmail,
} from './mailed-tokens.ts'
import { commonPasswordErrors } from './password-rule.ts'
import type { Passwords } from './passwords.ts'
import {
  confirmAuthenticator,
  enrollAuthenticator,
  removeAuthenticator,
  requiresAuthenticators,
  resetAuthenticator,
} from './second-factor.ts'
import { recognise } from './sign-in.ts'
import { answerUser } from './user-answer.ts'
import * as identity from '../sql/generated/identity.ts'

interface AccountOptions {
  readonly database: Database
  readonly passwords: Passwords
  readonly secretBox: SecretBox
}

/**
 * The actions of users and shoppers on their own passwords, addresses and authenticators, by the name of the
 * mutation.
 */
export const accountActions = (options: AccountOptions): Readonly<Record<string, Action>> => ({
  ...passwordActions(options),
  ...emailActions(options),
  ...authenticatorActions(options),
})

function passwordActions(options: AccountOptions): Readonly<Record<string, Action>> {
  const { database, passwords } = options
  const requestReset = (
    name: 'requestUserPasswordReset' | 'requestCustomerPasswordReset',
    subject: Person['subject'],
  ) =>
    defineAction(name, {
      // The answer is the same, and as fast, whether or not there is such a person.
      async handle({ session: { merchantId } }, input) {
        await requestPasswordReset(database, merchantId, subject, input.email)
        return done({ success: true })
      },
    })
  return {
    requestUserPasswordReset: requestReset('requestUserPasswordReset', 'USER'),
    requestCustomerPasswordReset: requestReset('requestCustomerPasswordReset', 'CUSTOMER'),
    resetPassword: defineAction('resetPassword', {
      check: ({ password }) => commonPasswordErrors('password', password),
      async handle({ session: { merchantId } }, input) {
        if (!passwords.hasRoom) return tooManyAttempts(1)
        const passwordHash = await passwords.hash(input.password)
        const reset = await resetPassword(database, merchantId, { token: input.token, passwordHash })
        return reset ? done({ success: true }) : badToken()
      },
    }),
    changePassword: defineAction('changePassword', {
      check: ({ newPassword }) => commonPasswordErrors('newPassword', newPassword),
      async handle({ session }, input) {
        const person = personOf(session)
        if (person === null) return onlyPeople()
        return changePassword(options, session, person, input)
      },
    }),
  }
}

async function changePassword(
  options: AccountOptions,
  session: Session,
  person: Person,
  input: { readonly currentPassword: string; readonly newPassword: string },
): Promise<Answer> {
  const { database, passwords } = options
  const { merchantId } = session
  const { subject, id } = person
  const given = { field: 'currentPassword', password: input.currentPassword }
  const refusal = await passwordRefusal(options, session, person, given)
  if (refusal !== null) return refusal
  const hash = await passwords.hash(input.newPassword)
  const [userId, customerId] = subject === 'USER' ? [id, null] : [null, id]
  await identity.setPassword(database, { merchantId, userId, customerId, passwordHash: hash })
  return done({ success: true })
}

/**
 * Why the password is not the person's; null: it is. A stolen session must not become a stolen account; the second factor
 * was shown when it was opened.
 */
async function passwordRefusal(
  options: AccountOptions,
  { merchantId, client }: Session,
  { subject, id }: Person,
  { field, password }: { readonly field: string; readonly password: string },
): Promise<Answer | null> {
  if (!options.passwords.hasRoom) return tooManyAttempts(1)
  const address = await addressOf(options.database, merchantId, { subject, id })
  const recognised = await recognise(options, {
    merchantId,
    subject,
    email: address,
    client,
    password,
    code: null,
  })
  switch (recognised.outcome) {
    case 'blocked':
      return tooManyAttempts(recognised.seconds)
    case 'wrong_password':
      return invalid(invalidValue(field, 'The password is wrong'))
    case 'recognised':
    case 'code_required':
    case 'wrong_code':
      return null
    default:
      return recognised satisfies never
  }
}

async function addressOf(
  database: Database,
  merchantId: MerchantId,
  { subject, id }: Person,
): Promise<string> {
  const rows =
    subject === 'USER'
      ? database<{ email: string }[]>`
          SELECT email FROM identity.user WHERE merchant_id = ${merchantId} AND id = ${id}`
      : database<{ email: string }[]>`
          SELECT email FROM crm.customer WHERE merchant_id = ${merchantId} AND id = ${id}`
  const [row] = await rows
  if (row === undefined) throw new Error(`${subject} ${id} has disappeared.`)
  return row.email
}

const emailActions = ({ database, secretBox }: AccountOptions): Readonly<Record<string, Action>> => ({
  requestEmailVerification: defineAction('requestEmailVerification', {
    async handle({ session }) {
      const person = personOf(session)
      if (person === null) return onlyPeople()
      await issueMailedToken({ sql: database, secretBox }, session.merchantId, person, 'EMAIL_VERIFICATION')
      return done({ success: true })
    },
  }),
  verifyEmail: defineAction('verifyEmail', {
    async handle({ session: { merchantId } }, input) {
      return (await verifyEmail(database, merchantId, input.token)) ? done({ success: true }) : badToken()
    },
  }),
})

function authenticatorActions(options: AccountOptions): Readonly<Record<string, Action>> {
  const { database, passwords } = options
  // A shopper has none; only an action that knows the shopper can say so.
  return {
    enrollMfa: defineAction('enrollMfa', {
      answersSecret: true,
      async handle({ session }, { password }) {
        const user = userOf(session)
        if (user === null) return onlyPeople()
        const person = { subject: 'USER', id: user.userId } as const
        const given = { field: 'password', password }
        const refusal = await passwordRefusal(options, session, person, given)
        if (refusal !== null) return refusal
        const enrollment = await enrollAuthenticator(options, user)
        return enrollment === null
          ? invalid(invalidValue('mfa', 'An authenticator is in use already'))
          : done({ ...enrollment })
      },
    }),
    confirmMfa: defineAction('confirmMfa', {
      answersSecret: true,
      async handle({ session }, input) {
        const user = userOf(session)
        if (user === null) return onlyPeople()
        const recoveryCodes = await confirmAuthenticator(options, user, input.code)
        return recoveryCodes === null ? wrongCode() : done({ recoveryCodes })
      },
    }),
    disableMfa: defineAction('disableMfa', {
      async handle({ session }, input) {
        const user = userOf(session)
        if (user === null) return onlyPeople()
        if (!passwords.hasRoom) return tooManyAttempts(1)
        const address = await addressOf(database, session.merchantId, { subject: 'USER', id: user.userId })
        const recognised = await recognise(options, {
          merchantId: session.merchantId,
          subject: 'USER',
          email: address,
          client: session.client,
          ...input,
        })
        if (recognised.outcome === 'blocked') return tooManyAttempts(recognised.seconds)
        if (recognised.outcome !== 'recognised') return wrongCode()
        if (await requiresAuthenticators(database, session.merchantId))
          return invalid(invalidValue('mfa', 'The merchant requires an authenticator'))
        await removeAuthenticator(database, user)
        return done({ success: true })
      },
    }),
    resetUserMfa: defineAction('resetUserMfa', {
      async handle({ session }, { id }) {
        // It would take away the second factor of whoever has stolen the token, without a password or code.
        if (userOf(session)?.userId === id.toLowerCase())
          return invalid(invalidValue('id', 'disableMfa removes your own authenticator'))
        return answerUser(session.merchantId, await resetAuthenticator(database, session, id))
      },
    }),
  }
}

function personOf(session: Session): Person | null {
  if (session.role === 'customer') return { subject: 'CUSTOMER', id: session.customerId }
  return session.role === 'guest' || session.userId === undefined
    ? null
    : { subject: 'USER', id: session.userId }
}

const userOf = (session: Session) =>
  session.role === 'merchant' && session.userId !== undefined
    ? { merchantId: session.merchantId, userId: session.userId }
    : null

const onlyPeople = (): Answer => forbidden('Only users have authenticators, and only people have passwords')

const badToken = (): Answer => invalid(invalidValue('token', 'The token is unknown, used or expired'))

const wrongCode = (): Answer => invalid(invalidValue('code', 'The code is wrong or was used already'))
