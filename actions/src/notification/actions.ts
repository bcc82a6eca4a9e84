import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, forbidden, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import { ownerOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import * as notification from '../sql/generated/notification.ts'

/** The domain's actions, by the name of the mutation. */
export const notificationActions = (database: Database): Readonly<Record<string, Action>> => ({
  registerNotificationDevice: registerDevice(database),
  setNotificationPreference: setPreference(database),
  markNotificationRead: markRead(database),
  markAllNotificationsRead: markAllRead(database),
})

// A device on which another person was signed in before is that person's no more.
const registerDevice = (database: Database): Action =>
  defineAction('registerNotificationDevice', {
    async handle({ session }, { input: { platform, token, name } }) {
      const { merchantId } = session
      const [device] = await database<{ id: string }[]>`
        INSERT INTO notification.device (merchant_id, customer_id, platform, token, name)
        VALUES (${merchantId}, ${ownerOf(session)}, ${platform}, ${token}, ${name})
        ON CONFLICT ON CONSTRAINT device_token_key DO UPDATE
        SET customer_id = excluded.customer_id, platform = excluded.platform, name = excluded.name, gone_at = NULL
        RETURNING id`
      return done({ merchantId, notificationDeviceId: device?.id })
    },
  })

const setPreference = (database: Database): Action =>
  defineAction('setNotificationPreference', {
    async handle({ session }, { input: { kind, channel, enabled, customerId } }) {
      const owner = ownerOf(session)
      if (owner !== null && customerId !== null && customerId !== owner) {
        return forbidden('A shopper sets no one else’s preferences')
      }
      const outcome = await notification.setPreference(database, {
        merchantId: session.merchantId,
        customerId: owner ?? customerId,
        kind,
        channel,
        enabled,
      })
      switch (outcome.outcome) {
        case 'changed':
          return done({ preference: { kind, channel, enabled, required: outcome.required } })
        case 'invalid':
          return preferenceError(outcome)
        default:
          return outcome satisfies never
      }
    },
  })

function preferenceError({
  field,
  reason,
}: Extract<notification.SetPreferenceAnswer, { outcome: 'invalid' }>): Answer {
  switch (reason) {
    case 'unknown_customer':
      return invalid(notFound(field, 'Customer'))
    case 'not_of_audience':
      return invalid(invalidValue(field, 'Messages of this kind go to others'))
    case 'required':
      return invalid(invalidValue(field, 'This is a receipt and can not be switched off'))
    default:
      return reason satisfies never
  }
}

const markRead = (database: Database): Action =>
  defineAction('markNotificationRead', {
    async handle({ session }, { id }) {
      const { merchantId } = session
      const marked = await database`
        UPDATE notification.notification SET read_at = coalesce(read_at, now())
        WHERE merchant_id = ${merchantId} AND customer_id IS NOT DISTINCT FROM ${ownerOf(session)}::uuid AND id = ${id}
        RETURNING id`
      return marked.length === 0
        ? invalid(notFound('id', 'Notification'))
        : done({ merchantId, notificationId: id })
    },
  })

const markAllRead = (database: Database): Action =>
  defineAction('markAllNotificationsRead', {
    async handle({ session }) {
      const marked = await database`
        UPDATE notification.notification SET read_at = now()
        WHERE merchant_id = ${session.merchantId} AND customer_id IS NOT DISTINCT FROM ${ownerOf(session)}::uuid
          AND read_at IS NULL`
      return done({ count: marked.count })
    },
  })
