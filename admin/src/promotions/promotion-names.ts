import type { DiscountType, PromotionStatus } from '../generated/operations.ts'
import { type Format, useFormat } from '../format/format.ts'
import type { MessageName } from '../language/catalogue.ts'
import { type Translate, useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import { useShop } from '../shell/shop.ts'

export const promotionStatuses = {
  ACTIVE: { tone: 'good', name: 'promotionActive' },
  SCHEDULED: { tone: 'wait', name: 'promotionScheduled' },
  EXPIRED: { tone: 'calm', name: 'promotionExpired' },
  DISABLED: { tone: 'bad', name: 'promotionDisabled' },
} as const satisfies Record<PromotionStatus, StatusName>

export const discountTypes = {
  PERCENTAGE: 'discountPercentage',
  FIXED_AMOUNT: 'discountFixedAmount',
  FREE_SHIPPING: 'discountFreeShipping',
} as const satisfies Record<DiscountType, MessageName>

interface Terms {
  readonly discountType: DiscountType
  readonly discountValue: number
}

function inWords(
  { discountType, discountValue }: Terms,
  t: Translate,
  { money, number }: Format,
  currency: string,
): string {
  switch (discountType) {
    case 'PERCENTAGE':
      return t('percentOff', { value: number(discountValue) })
    case 'FIXED_AMOUNT':
      return t('amountOff', { value: money(discountValue, currency) })
    case 'FREE_SHIPPING':
      return t('discountFreeShipping')
    default:
      return discountType satisfies never
  }
}

/** What a promotion takes off, in words. */
export function useDiscountInWords(): (terms: Terms) => string {
  const t = useText()
  const format = useFormat()
  const { currency } = useShop()
  return (terms) => inWords(terms, t, format, currency)
}
