import { describe, expect, test } from 'vitest'
import { instantOf, localMinute } from '../admin/src/format/shop-times.ts'
import { changesOf, inputOf, newDraft } from '../admin/src/promotions/promotion-draft.ts'
import { addMonths, daysIn, daysOfMonth } from '../admin/src/promotions/promotion-months.ts'

const shop = { units: 100, timeZone: 'America/Los_Angeles' }
const draft = newDraft(shop, Date.parse('2026-11-25T10:20:00Z'))

describe('a promotion of the admin', () => {
  test('begins at the next full hour on the shop’s clocks', () => {
    expect(draft.start).toBe('2026-11-25T03:00')
    expect(inputOf(draft, shop)?.startDate).toBe('2026-11-25T11:00:00.000Z')
  })

  test('keeps its time over a change of the clocks, and has none while none is typed', () => {
    for (const iso of ['2026-11-01T08:30:00.000Z', '2026-03-08T10:30:00.000Z', '2026-07-01T00:00:00.000Z'])
      expect(instantOf(localMinute(iso, shop.timeZone), shop.timeZone)).toBe(iso)
    expect(instantOf('', shop.timeZone)).toBeNull()
    expect(inputOf({ ...draft, end: '' }, shop)).toBeNull()
  })

  test('sends money in the smallest unit, percents as they are, and no value where none has a meaning', () => {
    const value = (part: Partial<typeof draft>) => inputOf({ ...draft, ...part }, shop)?.discountValue
    expect(value({ discountType: 'FIXED_AMOUNT', value: 19.99 })).toBe(1_999)
    expect(value({ value: 15 })).toBe(15)
    expect(value({ discountType: 'FREE_SHIPPING', value: 15 })).toBe(0)
  })

  test('sends what was changed alone, and null for a condition that was emptied', () => {
    const limited = { ...draft, minPurchase: 30, productIds: ['a'] }
    expect(changesOf(limited, limited, shop)).toEqual({})
    expect(changesOf({ ...limited, minPurchase: NaN, code: ' TEN ' }, limited, shop)).toEqual({
      code: 'TEN',
      conditions: { minPurchaseAmount: null },
    })
    expect(changesOf({ ...limited, customerIds: ['c'] }, limited, shop)).toEqual({
      conditions: { customerIds: ['c'] },
    })
    expect(changesOf(limited, { ...limited, customerIds: ['c'] }, shop)).toEqual({
      conditions: { customerIds: null },
    })
  })
})

describe('a month of the calendar', () => {
  test('has its days, in leap years too', () => {
    expect([daysIn('2026-02'), daysIn('2028-02'), daysIn('2026-12')]).toEqual([28, 29, 31])
    expect([addMonths('2026-12', 1), addMonths('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
  })

  test('shows the days on which something runs, cut at its ends', () => {
    expect(daysOfMonth('2026-11', '2026-10-20', '2026-11-03')).toEqual({ from: 1, to: 3 })
    expect(daysOfMonth('2026-11', '2026-11-30', '2027-01-01')).toEqual({ from: 30, to: 30 })
    expect(daysOfMonth('2026-11', '2026-12-01', '2027-01-01')).toBeNull()
    expect(daysOfMonth('2026-11', '2026-10-01', '2026-10-31')).toBeNull()
  })
})
