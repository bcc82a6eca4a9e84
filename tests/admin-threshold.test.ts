import { expect, test } from 'vitest'
import { thresholdBefore } from '../admin/src/stock/threshold-before.ts'

test('undoing a SKU’s threshold gives it the shop’s back where it had that, and its own number otherwise', () => {
  expect(thresholdBefore(5, 5)).toBeNull()
  expect(thresholdBefore(7, 5)).toBe(7)
  expect(thresholdBefore(0, undefined)).toBe(0)
})
