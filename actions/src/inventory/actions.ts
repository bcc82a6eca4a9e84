import { z } from 'zod'
import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  idempotencyKeyReused,
  insufficientInventory,
  invalid,
  notFound,
} from '../action/answer.ts'
import { once } from '../action/idempotency.ts'
import {
  id,
  integer,
  list,
  MAX_LINES,
  MAX_QUANTITY,
  optional,
  quantity,
  text,
  userError,
} from '../action/input.ts'
import type { Database } from '../database.ts'
import { changeLevel, type LevelOutcome, releaseReservation, reserve } from './stock.ts'

const DEFAULT_RESERVATION_SECONDS = 15 * 60
const MAX_RESERVATION_SECONDS = 24 * 60 * 60

const access = { roles: ['merchant'], permission: 'inventory:write' } as const
const sku = text(255)

/** What the domain serves, by name as in metadata/actions.yaml. */
export function inventoryActions(database: Database): Readonly<Record<string, Action>> {
  return {
    reserveInventory: reserveInventory(database),
    releaseReservation: release(database),
    setInventoryLevel: setInventoryLevel(database),
    adjustInventory: adjustInventory(database),
  }
}

const reserveInventory = (database: Database): Action =>
  defineAction({
    ...access,
    input: z.object({
      items: list(z.object({ sku, quantity }), MAX_LINES),
      expiresInSeconds: optional(integer(1, MAX_RESERVATION_SECONDS)),
    }),
    async handle(call, { items, expiresInSeconds }) {
      const { merchantId } = call.session
      const request = { items, seconds: expiresInSeconds ?? DEFAULT_RESERVATION_SECONDS }
      const outcome = await once(
        database,
        call,
        (sql) => reserve(sql, merchantId, request),
        ({ outcome }) => outcome === 'reserved',
      )
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
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  })

const release = (database: Database): Action =>
  defineAction({
    ...access,
    input: z.object({ id }),
    async handle({ session: { merchantId } }, input) {
      const outcome = await releaseReservation(database, merchantId, input.id)
      switch (outcome.outcome) {
        case 'released':
          return done({ merchantId, reservationId: input.id, expiresAt: null, items: [] })
        case 'unknown':
          return invalid(notFound('id', 'reservation'))
        case 'belongs_to_order':
          return invalid(
            userError('id', {
              kind: 'value',
              message: `The reservation belongs to order ${outcome.orderId}; cancel the order to give its stock back`,
            }),
          )
        case 'refused':
          return invalid(
            userError('id', { kind: 'value', message: `The reservation is ${outcome.status} already` }),
          )
        default:
          return outcome satisfies never
      }
    },
  })

const setInventoryLevel = (database: Database): Action =>
  defineAction({
    ...access,
    input: z.object({
      input: z.object({ sku, warehouseId: optional(id), available: integer(0, MAX_QUANTITY) }),
    }),
    async handle({ session: { merchantId } }, { input }) {
      const { available, ...place } = input
      const change = { ...place, change: { to: available }, reason: 'Level set' }
      return levelAnswer(merchantId, await changeLevel(database, merchantId, change), 'available', available)
    },
  })

const adjustInventory = (database: Database): Action =>
  defineAction({
    ...access,
    input: z.object({
      input: z.object({
        sku,
        warehouseId: optional(id),
        delta: integer(-MAX_QUANTITY, MAX_QUANTITY),
        reason: text(1000),
      }),
    }),
    async handle({ session: { merchantId } }, { input }) {
      const { delta, ...place } = input
      const change = { ...place, change: { by: delta } }
      return levelAnswer(merchantId, await changeLevel(database, merchantId, change), 'delta', delta)
    },
  })

function levelAnswer(merchantId: string, outcome: LevelOutcome, field: string, value: number): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, stockItemId: outcome.stockItemId })
    case 'unknown_sku':
      return invalid(notFound('sku', 'SKU'))
    case 'unknown_warehouse':
      return invalid(notFound('warehouseId', 'warehouse'))
    case 'no_warehouse':
      return invalid(
        userError('warehouseId', { kind: 'value', message: 'There is no active warehouse to keep stock in' }),
      )
    case 'out_of_range': {
      const { message, code } = userError(field, {
        kind: 'range',
        value,
        min: -outcome.available,
        max: outcome.max - outcome.available,
      })
      return invalid({ field, message: `${message}. Available: ${outcome.available}`, code })
    }
    default:
      return outcome satisfies never
  }
}
