import { z } from 'zod'
import {
  address,
  addFault,
  couponCode,
  id,
  list,
  MAX_LINES,
  notes,
  optional,
  quantity,
  text,
  timestamp,
} from '../action/input.ts'

export const orderLine = z.object({ productId: id, variantId: optional(id), quantity })

/** What createOrder and checkoutCart ask besides the lines. */
export const orderTerms = {
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

export const checkoutCartInput = z.object({
  id,
  input: z.object({ customerId: optional(id), ...orderTerms }),
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

export const cancelOrderInput = z.object({ id, reason: text(1000) })

export const fulfillOrderInput = z.object({
  id,
  input: z.object({
    carrier: optional(text(255)),
    trackingNumber: optional(text(255)),
    estimatedDeliveryAt: optional(timestamp),
  }),
})

export const orderIdInput = z.object({ id })
