import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, insufficientInventory, invalid, notFound } from '../action/answer.ts'
import { invalidValue, userError } from '../action/input.ts'
import { principalOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import { incomingStockActions } from './incoming-stock-actions.ts'
import { unknownStock } from './named-stock.ts'
import { placeError } from './place-error.ts'
import { stockAlertActions } from './stock-alert-actions.ts'
import type { ChangeLevelAnswer } from '../sql/generated/inventory.ts'
import { changeLevel, releaseReservation, reserve, setLowStockThreshold } from './stock.ts'
import { transferActions } from './transfer-actions.ts'

const defaultReservationSeconds = 15 * 60

/** The domain's actions, by the name of the mutation. */
export const inventoryActions = (database: Database): Readonly<Record<string, Action>> => ({
  reserveInventory: reserveInventory(database),
  releaseReservation: release(database),
  setInventoryLevel: setInventoryLevel(database),
  adjustInventory: adjustInventory(database),
  setLowStockThreshold: lowStockThreshold(database),
  ...incomingStockActions(database),
  ...transferActions(database),
  ...stockAlertActions(database),
})

const reserveInventory = (database: Database): Action =>
  defineAction('reserveInventory', {
    lookUp: (call) => unknownStock(database, call),
    async handle({ session: { merchantId } }, { items, expiresInSeconds }) {
      const request = { items, seconds: expiresInSeconds ?? defaultReservationSeconds }
      const outcome = await reserve(database, merchantId, request)
      switch (outcome.outcome) {
        case 'reserved': {
          const { reservationId, expiresAt } = outcome
          return done({ merchantId, reservationId, expiresAt, items: outcome.items })
        }
        case 'insufficient':
          return insufficientInventory(outcome.shortages, (shortage) => {
            const position = items.findIndex((item) => item.sku === shortage.sku)
            return `items.${position}.quantity`
          })
        case 'unknown_sku':
          return invalid(...outcome.positions.map((position) => notFound(`items.${position}.sku`, 'SKU')))
        default:
          return outcome satisfies never
      }
    },
  })

const release = (database: Database): Action =>
  defineAction('releaseReservation', {
    async handle({ session: { merchantId } }, input) {
      const outcome = await releaseReservation(database, merchantId, input.id)
      switch (outcome.outcome) {
        case 'released':
          return done({ merchantId, reservationId: input.id, expiresAt: null, items: [] })
        case 'unknown':
          return invalid(notFound('id', 'Reservation'))
        case 'belongs_to_order':
          return invalid(
            invalidValue(
              'id',
              `The reservation belongs to order ${outcome.orderId}; cancel the order to give its stock back`,
            ),
          )
        case 'refused':
          return invalid(invalidValue('id', `The reservation is ${outcome.status} already`))
        default:
          return outcome satisfies never
      }
    },
  })

const setInventoryLevel = (database: Database): Action =>
  defineAction('setInventoryLevel', {
    lookUp: (call) => unknownStock(database, call),
    async handle({ session }, { input }) {
      const { merchantId } = session
      const { available, ...place } = input
      const change = {
        ...place,
        change: { to: available },
        reason: input.reason ?? 'Counted',
        principal: principalOf(session),
      }
      return levelAnswer(merchantId, await changeLevel(database, merchantId, change), 'available', available)
    },
  })

const adjustInventory = (database: Database): Action =>
  defineAction('adjustInventory', {
    lookUp: (call) => unknownStock(database, call),
    async handle({ session }, { input }) {
      const { merchantId } = session
      const { delta, ...place } = input
      const change = { ...place, change: { by: delta }, principal: principalOf(session) }
      return levelAnswer(merchantId, await changeLevel(database, merchantId, change), 'delta', delta)
    },
  })

const lowStockThreshold = (database: Database): Action =>
  defineAction('setLowStockThreshold', {
    lookUp: (call) => unknownStock(database, call),
    async handle({ session: { merchantId } }, { input }) {
      const outcome = await setLowStockThreshold(database, merchantId, input.sku, input.threshold)
      switch (outcome.outcome) {
        case 'changed':
          return done({ merchantId, stockItemId: outcome.stockItemId })
        case 'unknown_sku':
          return invalid(notFound('sku', 'SKU'))
        default:
          return outcome satisfies never
      }
    },
  })

function levelAnswer(merchantId: string, outcome: ChangeLevelAnswer, field: string, value: number): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, stockItemId: outcome.stockItemId })
    case 'invalid':
      return invalid(...outcome.refusals.map(placeError))
    case 'out_of_range': {
      const { message, code } = userError(field, {
        kind: 'range',
        value,
        min: -outcome.available,
        max: Math.max(0, outcome.max - outcome.available),
      })
      return invalid({ field, message: `${message}. Available: ${outcome.available}`, code })
    }
    default:
      return outcome satisfies never
  }
}
