import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type PaidLine,
  refundable,
  refundableShipping,
  refundOfUnits,
  returnable,
  unpacked,
} from '../admin/src/orders/units.ts'

const line = (given: Partial<PaidLine>): PaidLine => ({
  id: 'line',
  quantity: 6,
  packedQuantity: 0,
  fulfilledQuantity: 0,
  cancelledQuantity: 0,
  refundedQuantity: 0,
  subtotal: 38_400,
  discount: 0,
  tax: 3_168,
  ...given,
})

describe('what /admin shows before a refund', () => {
  test('adds up to what was paid for the line, in however many refunds', () => {
    const splits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 })
    const amounts = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(splits, amounts, amounts, (parts, subtotal, tax) => {
        const quantity = parts.reduce((sum, part) => sum + part, 0)
        let refundedQuantity = 0
        let sum = 0
        for (const part of parts) {
          sum += refundOfUnits(line({ quantity, subtotal, tax, refundedQuantity }), part)
          refundedQuantity += part
        }
        expect(sum).toBe(subtotal + tax)
      }),
    )
  })

  test('takes the line’s share of the discount off', () => {
    expect(refundOfUnits(line({ discount: 3_840 }), 3)).toBe((38_400 - 3_840 + 3_168) / 2)
  })

  test('offers neither units that wait in a parcel, nor those that were refunded', () => {
    // Of six, three are packed, of which two were sent, and one that was never packed was refunded.
    const units = line({ packedQuantity: 3, fulfilledQuantity: 2, cancelledQuantity: 1, refundedQuantity: 1 })
    expect(unpacked(units)).toBe(2)
    expect(refundable({ returns: [] }, units)).toBe(2 + 2)
  })

  test('offers each sent unit once: to be refunded, or in a return', () => {
    const units = line({ packedQuantity: 6, fulfilledQuantity: 6, refundedQuantity: 2 })
    const one = { items: [{ orderItemId: 'line', quantity: 1 }] }
    const order = {
      returns: [
        { ...one, status: 'REFUNDED', refund: {} },
        { ...one, status: 'RECEIVED', refund: null },
        { ...one, status: 'REJECTED', refund: null },
        { status: 'REQUESTED', refund: null, items: [{ orderItemId: 'another line', quantity: 1 }] },
      ],
    }
    expect(returnable(order, units)).toBe(6 - 2 - 1)
    expect(refundable(order, units)).toBe(6 - 2 - 1)
  })

  test('leaves of the shipping what no discount took off, and no refund gave back', () => {
    const order = {
      shipping: 2_495,
      discount: 1_000,
      items: [line({ discount: 600 })],
      payments: [{ refunds: [{ shippingAmount: 500 }] }],
    }
    expect(refundableShipping(order)).toBe(2_495 - 400 - 500)
  })
})
