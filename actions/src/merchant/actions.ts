import { type Action, defineAction } from '../action/action.ts'
import { done, forbidden, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import { accountActions, type MerchantOptions } from './account-actions.ts'
import {
  createApiKey,
  createPublishableKey,
  endOfKey,
  endOfOwnKey,
  revokeApiKey,
  rotateApiKey,
  setMaxAge,
  setOrigins,
  unknownPermissions,
} from './api-keys.ts'
import * as merchant from '../sql/generated/merchant.ts'
import { senderActions, type SenderActionsOptions } from './sender-actions.ts'
import { subscriptionActions } from './subscription-actions.ts'

/** Seconds that the key before a rotated one goes on working for: a day unless said, 30 days at most. */
const defaultOverlap = 24 * 60 * 60

/** The domain's actions, by the name of the mutation. */
export const merchantActions = ({
  database,
  secretBox,
  ...options
}: MerchantOptions & SenderActionsOptions): Readonly<Record<string, Action>> => ({
  ...accountActions({ database, secretBox }),
  ...senderActions({ database, ...options }),
  ...subscriptionActions(database),
  createApiKey: create(database),
  createPublishableKey: defineAction('createPublishableKey', {
    async handle({ session: { merchantId } }, { input }) {
      const { id, key } = await createPublishableKey(database, merchantId, {
        name: input.name,
        origins: input.origins ?? [],
      })
      return done({ merchantId, apiKeyId: id, key })
    },
  }),
  setPublishableKeyMaxAge: defineAction('setPublishableKeyMaxAge', {
    async handle({ session: { merchantId } }, input) {
      const isSet = await setMaxAge(database, merchantId, input)
      return isSet ? done({ merchantId, apiKeyId: input.id }) : invalid(notFound('id', 'Publishable key'))
    },
  }),
  setPublishableKeyOrigins: defineAction('setPublishableKeyOrigins', {
    async handle({ session: { merchantId } }, input) {
      const isSet = await setOrigins(database, merchantId, input)
      return isSet ? done({ merchantId, apiKeyId: input.id }) : invalid(notFound('id', 'Publishable key'))
    },
  }),
  rotateApiKey: defineAction('rotateApiKey', {
    answersSecret: true,
    async handle({ session }, input) {
      const { merchantId, permissions: own } = session
      const kept = await endOfKey(database, merchantId, input.id)
      if (kept !== undefined && (await outlives(database, session, kept)))
        return invalid(invalidValue('id', outlivesText))
      const overlap = input.overlapSeconds ?? defaultOverlap
      const rotation = await rotateApiKey(database, merchantId, { own, id: input.id, overlap })
      switch (rotation.outcome) {
        case 'rotated':
          return done({ merchantId, apiKeyId: rotation.apiKeyId, key: rotation.key })
        case 'unknown':
          return invalid(notFound('id', 'API key'))
        case 'ended':
          return invalid(invalidValue('id', 'The key is revoked or has expired: create another one'))
        case 'beyond_own':
          return forbidden(`You can’t grant a permission that you lack: ${rotation.permission}`)
        default:
          return rotation satisfies never
      }
    },
  }),
  revokeApiKey: defineAction('revokeApiKey', {
    async handle({ session: { merchantId } }, input) {
      const revoked = await revokeApiKey(database, merchantId, input.id)
      return revoked ? done({ merchantId, apiKeyId: input.id }) : invalid(notFound('id', 'API key'))
    },
  }),
})

const outlivesText = 'A key can not make one that ends later than itself'

/** Whether a key would end later than the one that makes it, which would so get beyond its own end. @param end null: never */
async function outlives(database: Database, session: Session, end: Date | null): Promise<boolean> {
  if (session.role !== 'merchant' || session.keyId === undefined) return false
  const own = await endOfOwnKey(database, session.merchantId, session.keyId)
  return own != null && (end === null || end > own)
}

const create = (database: Database): Action =>
  defineAction('createApiKey', {
    check: ({ input: { expiresAt } }) =>
      expiresAt !== null && Date.parse(expiresAt) <= Date.now()
        ? [invalidValue('expiresAt', 'The key would have expired already')]
        : [],
    answersSecret: true,
    async handle({ session }, { input }) {
      const { merchantId, permissions: own } = session
      const unknown = await unknownPermissions(database, input.permissions)
      if (unknown.size > 0) {
        const errors = input.permissions.flatMap((name, index) =>
          unknown.has(name) ? [notFound(`permissions.${index}`, 'Permission')] : [],
        )
        return invalid(...errors)
      }
      const beyond = input.permissions.find((name) => !own.has(name))
      if (beyond !== undefined) return forbidden(`You can’t grant a permission that you lack: ${beyond}`)
      if (await outlives(database, session, input.expiresAt === null ? null : new Date(input.expiresAt)))
        return invalid(invalidValue('expiresAt', outlivesText))
      if (input.mode !== 'TEST' && (await merchant.isTwin(database, { merchantId })))
        return invalid(
          invalidValue('mode', 'Test data has no live keys: make one with a live key or as a user'),
        )
      const { id: apiKeyId, key } = await createApiKey(database, merchantId, {
        ...input,
        mode: input.mode === 'TEST' ? 'test' : 'live',
      })
      return done({ merchantId, apiKeyId, key })
    },
  })
