import { describe, expect, test } from 'vitest'
import { modificationsOf } from '../admin/src/orders/order-modifications.ts'

const before = {
  lines: [
    { id: 'tent', quantity: 2 },
    { id: 'lamp', quantity: 1 },
    { id: 'mug', quantity: 4 },
  ],
  added: [],
  address: { line1: '1 Main Street', city: 'Portland', state: 'ME', postalCode: '04101', country: 'US' },
}

describe('an order that is edited in /admin', () => {
  test('is changed only in what differs from when one began', () => {
    expect(modificationsOf(before, before)).toEqual({})
    const edited = {
      lines: [
        { id: 'tent', quantity: 3 },
        { id: 'lamp', quantity: 0 },
        { id: 'mug', quantity: 4 },
      ],
      added: [
        { productId: 'cup', variantId: null, quantity: 1 },
        { productId: 'pan', variantId: 'red', quantity: 0 },
      ],
      address: before.address,
    }
    expect(modificationsOf(before, edited)).toEqual({
      updateItems: [{ id: 'tent', quantity: 3 }],
      removeItemIds: ['lamp'],
      addItems: [{ productId: 'cup', quantity: 1 }],
    })
  })

  test('has its address sent whole when a part of it differs', () => {
    const { shippingAddress } = modificationsOf(before, {
      ...before,
      address: { ...before.address, line1: '2 Main Street' },
    })
    expect(shippingAddress).toMatchObject({ city: 'Portland', line1: '2 Main Street' })
  })
})
