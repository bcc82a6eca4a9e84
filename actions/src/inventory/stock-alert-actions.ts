import { type Action, defineAction } from '../action/action.ts'
import { done, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import { ownerOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import { unknownStock } from './named-stock.ts'
import { placeError } from './place-error.ts'
import { cancelStockAlert, mostAlerts, subscribeStockAlert } from './stock-alerts.ts'

const notOwnEmail = 'Alerts go to your own address, once it is verified (requestEmailVerification)'

export const stockAlertActions = (database: Database): Readonly<Record<string, Action>> => ({
  subscribeStockAlert: defineAction('subscribeStockAlert', {
    lookUp: (call) => unknownStock(database, call),
    async handle({ session }, input) {
      const { merchantId } = session
      const outcome = await subscribeStockAlert(database, merchantId, { ...input, owner: ownerOf(session) })
      switch (outcome.outcome) {
        case 'subscribed': {
          const { alertId, status, estimatedDate } = outcome
          return done({ merchantId, id: alertId, status, estimatedDate })
        }
        case 'unknown_sku':
          return invalid(notFound('sku', 'SKU'))
        case 'has_variants':
          return invalid(placeError({ field: 'sku', reason: outcome.outcome }))
        case 'available':
          return invalid(invalidValue('sku', 'It is available already'))
        case 'not_own_email':
          return invalid(invalidValue('email', notOwnEmail))
        case 'too_many':
          return invalid(invalidValue('email', `${mostAlerts} alerts wait for the address already`))
        default:
          return outcome satisfies never
      }
    },
  }),
  unsubscribeStockAlert: defineAction('unsubscribeStockAlert', {
    async handle({ session }, input) {
      const { merchantId } = session
      const outcome = await cancelStockAlert(database, merchantId, { ...input, owner: ownerOf(session) })
      switch (outcome.outcome) {
        case 'cancelled':
          return done({ merchantId, id: outcome.alertId, status: outcome.status, estimatedDate: null })
        case 'unknown':
          return invalid(notFound('id', 'Alert'))
        case 'refused':
          return invalid(invalidValue('id', `The alert is ${outcome.status} already`))
        default:
          return outcome satisfies never
      }
    },
  }),
})
