import { type Action, defineAction } from '../action/action.ts'
import { done, idempotencyKeyReused, invalid, notFound } from '../action/answer.ts'
import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import { invalidValue } from '../action/input.ts'
import type { Database } from '../database.ts'
import { domainOf } from '../messaging/sender-domain.ts'
import { checkSender } from './sender-check.ts'
import { findSender, recordCheck, removeSender, type Senders, setSender } from './senders.ts'

export interface SenderActionsOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly senders: Senders
}

/** The merchant's actions on its own sender address, by the name of the mutation. */
export const senderActions = ({
  database,
  keys,
  senders,
}: SenderActionsOptions): Readonly<Record<string, Action>> => ({
  setEmailSender: defineAction('setEmailSender', {
    async handle({ session: { merchantId } }, { input: { address } }) {
      if (address === null) {
        await removeSender(database, merchantId)
        return done({ merchantId })
      }
      const domain = domainOf(address)
      if (domain === null)
        return invalid(invalidValue('address', 'Its domain is none that DNS can have records of'))
      await database.begin((sql) => setSender(sql, merchantId, { address, domain }, senders.settings))
      return done({ merchantId })
    },
  }),
  checkEmailSender: defineAction('checkEmailSender', {
    // DNS is asked with no transaction open.
    keeping: 'in steps',
    async handle(call) {
      const { merchantId } = call.session
      const sender = await findSender(database, merchantId)
      if (sender === null) return invalid(notFound('address', 'Sender'))
      const check = await checkSender(senders.lookup, sender, senders.settings)
      const outcome = await keys.once(
        call,
        async (sql) => {
          await recordCheck(sql, sender, check)
          return { outcome: 'checked' } as const
        },
        () => true,
      )
      return outcome.outcome === 'key_reused' ? idempotencyKeyReused(outcome.key) : done({ merchantId })
    },
  }),
})
