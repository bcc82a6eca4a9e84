import { z } from 'zod'
import {
  addFault,
  address,
  cost,
  couponCode,
  id,
  list,
  MAX_LINES,
  money,
  notes,
  optional,
  prose,
  quantity,
  text,
  timestamp,
} from '../action/input.ts'
import { returnReasons } from './returns.ts'
import type { Units } from './shipments.ts'

const orderLine = z.object({ productId: id, variantId: optional(id), quantity })

/** What createOrder and checkoutCart ask besides the lines. */
const orderTerms = {
  shippingAddress: address,
  billingAddress: optional(address),
  shippingMethodId: optional(id),
  reservationId: optional(id),
  couponCode: optional(couponCode),
  notes,
}

export const createOrderInput = z.object({
  input: z.object({ customerId: id, items: list(orderLine, MAX_LINES), ...orderTerms }),
})

/** What a cart says already needn't be said again. */
export const checkoutCartInput = z.object({
  id,
  input: z.object({
    customerId: optional(id),
    ...orderTerms,
    shippingAddress: optional(address),
    expectedTotal: optional(cost),
  }),
})

const orEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(schema)
    .max(MAX_LINES)
    .nullish()
    .transform((items) => items ?? [])

export const modifyOrderInput = z.object({
  id,
  modifications: z
    .object({
      addItems: orEmpty(orderLine),
      updateItems: orEmpty(z.object({ id, quantity })),
      removeItemIds: orEmpty(id),
      shippingAddress: optional(address),
      billingAddress: optional(address),
      notes,
    })
    .superRefine(({ updateItems, removeItemIds }, context) => {
      const named = new Set(removeItemIds)
      updateItems.forEach((item, index) => {
        if (named.has(item.id)) {
          addFault(context, { kind: 'value', message: 'The line is named twice' }, [
            'updateItems',
            index,
            'id',
          ])
        }
        named.add(item.id)
      })
    }),
})

export const cancelOrderInput = z.object({ id, reason: prose(1000) })

const journey = {
  carrier: optional(text(255)),
  trackingNumber: optional(text(255)),
  estimatedDeliveryAt: optional(timestamp),
}

const flag = (preset: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? preset)

/** Units of lines, each line once. */
const unitsOf = <Line extends z.ZodType<Units>>(line: Line) =>
  list(line, MAX_LINES).superRefine((items, context) => {
    const named = new Set<unknown>()
    items.forEach(({ orderItemId }, index) => {
      if (named.has(orderItemId)) {
        addFault(context, { kind: 'value', message: 'The line is named twice' }, [index, 'orderItemId'])
      }
      named.add(orderItemId)
    })
  })

const lineUnits = { orderItemId: id, quantity }
const units = unitsOf(z.object(lineUnits))

export const fulfillOrderInput = z.object({
  id,
  input: z.object({ items: optional(units), shipped: flag(true), ...journey }),
})

export const shipmentInput = z.object({ id, input: z.object(journey) })

export const orderIdInput = z.object({ id })

export const addOrderNoteInput = z.object({
  id,
  input: z.object({ text: prose(5000), visibleToCustomer: flag(false) }),
})

export const refundOrderInput = z.object({
  id,
  input: z.object({
    items: unitsOf(z.object({ ...lineUnits, restock: optional(z.boolean()) })),
    shipping: flag(false),
    amount: optional(money),
    reason: prose(1000),
  }),
})

export const requestReturnInput = z.object({
  input: z.object({
    orderId: id,
    items: unitsOf(z.object({ ...lineUnits, reason: z.enum(returnReasons) })),
    note: notes,
  }),
})

export const rejectReturnInput = z.object({ id, reason: prose(1000) })

export const receiveReturnInput = z.object({
  id,
  input: z.object({
    restock: optional(units).transform((items) => items ?? []),
    warehouseId: optional(id),
  }),
})

export const refundReturnInput = z.object({
  id,
  input: z.object({ shipping: flag(false), amount: optional(money) }),
})

const draftContent = {
  customerId: optional(id),
  items: optional(list(orderLine, MAX_LINES)),
  shippingAddress: optional(address),
  shippingMethodId: optional(id),
  couponCode: optional(couponCode),
  notes,
  tags: optional(z.array(text(100)).max(100)),
  expiresAt: optional(timestamp),
}

export const createDraftOrderInput = z.object({
  input: z.object({ ...draftContent, items: list(orderLine, MAX_LINES) }),
})

export const updateDraftOrderInput = z.object({ id, input: z.object(draftContent) })
