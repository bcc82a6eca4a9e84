import type {
  CreatePromotionInput,
  DiscountType,
  PromotionConditionsInput,
  PromotionDetailQuery,
  UpdatePromotionInput,
} from '../generated/operations.ts'
import { differing } from '../api/differing.ts'
import { instantOf, localMinute } from '../format/shop-times.ts'

export type LoadedPromotion = NonNullable<PromotionDetailQuery['promotion']>

/** A promotion as one types it. A number that is left out is NaN. */
export interface PromotionDraft {
  readonly name: string
  readonly description: string
  readonly code: string
  readonly discountType: DiscountType
  /** Percent, or an amount of money. */
  readonly value: number
  /** On the shop's clocks. */
  readonly start: string
  readonly end: string
  readonly disabled: boolean
  readonly usageLimit: number
  readonly campaignId: string
  readonly minPurchase: number
  readonly maxDiscount: number
  readonly productIds: readonly string[]
  readonly categoryIds: readonly string[]
  readonly customerIds: readonly string[]
  readonly firstOrderOnly: boolean
}

/** How the shop counts money and time. */
export interface ShopUnits {
  /** Of the smallest unit, in one of the currency. */
  readonly units: number
  readonly timeZone: string
}

const month = 30 * 86_400_000

/** Ten percent for a month, from the next full hour. */
export function newDraft({ timeZone }: ShopUnits, now: number): PromotionDraft {
  const hour = 3_600_000
  const start = Math.ceil(now / hour) * hour
  return {
    name: '',
    description: '',
    code: '',
    discountType: 'PERCENTAGE',
    value: 10,
    start: localMinute(new Date(start).toISOString(), timeZone),
    end: localMinute(new Date(start + month).toISOString(), timeZone),
    disabled: false,
    usageLimit: NaN,
    campaignId: '',
    minPurchase: NaN,
    maxDiscount: NaN,
    productIds: [],
    categoryIds: [],
    customerIds: [],
    firstOrderOnly: false,
  }
}

export function draftOf(promotion: LoadedPromotion, { units, timeZone }: ShopUnits): PromotionDraft {
  const { conditions, discountType, discountValue } = promotion
  const major = (minor: number | null | undefined) => (minor == null ? NaN : minor / units)
  return {
    name: promotion.name,
    description: promotion.description ?? '',
    code: promotion.code ?? '',
    discountType,
    value: discountType === 'FIXED_AMOUNT' ? discountValue / units : discountValue,
    start: localMinute(promotion.startDate, timeZone),
    end: localMinute(promotion.endDate, timeZone),
    disabled: promotion.status === 'DISABLED',
    usageLimit: promotion.usageLimit ?? NaN,
    campaignId: promotion.campaignId ?? '',
    minPurchase: major(conditions?.minPurchaseAmount),
    maxDiscount: major(conditions?.maxDiscountAmount),
    productIds: conditions?.productIds ?? [],
    categoryIds: conditions?.categoryIds ?? [],
    customerIds: conditions?.customerIds ?? [],
    firstOrderOnly: conditions?.firstOrderOnly ?? false,
  }
}

function conditionsOf(draft: PromotionDraft, { units }: ShopUnits): PromotionConditionsInput {
  const minor = (amount: number) => (Number.isNaN(amount) ? null : Math.round(amount * units))
  const some = (ids: readonly string[]) => (ids.length === 0 ? null : ids)
  return {
    minPurchaseAmount: minor(draft.minPurchase),
    maxDiscountAmount: minor(draft.maxDiscount),
    productIds: some(draft.productIds),
    categoryIds: some(draft.categoryIds),
    customerIds: some(draft.customerIds),
    firstOrderOnly: draft.firstOrderOnly,
  }
}

function discountValueOf({ discountType, value }: PromotionDraft, { units }: ShopUnits): number {
  if (discountType === 'FREE_SHIPPING' || Number.isNaN(value)) return 0
  return discountType === 'FIXED_AMOUNT' ? Math.round(value * units) : value
}

/** What is sent; null while a time is missing. */
export function inputOf(draft: PromotionDraft, shop: ShopUnits): CreatePromotionInput | null {
  const startDate = instantOf(draft.start, shop.timeZone)
  const endDate = instantOf(draft.end, shop.timeZone)
  if (startDate === null || endDate === null) return null
  return {
    name: draft.name,
    description: draft.description,
    code: draft.code.trim() === '' ? null : draft.code.trim(),
    discountType: draft.discountType,
    discountValue: discountValueOf(draft, shop),
    startDate,
    endDate,
    disabled: draft.disabled,
    usageLimit: Number.isNaN(draft.usageLimit) ? null : draft.usageLimit,
    campaignId: draft.campaignId === '' ? null : draft.campaignId,
    conditions: conditionsOf(draft, shop),
  }
}

/** What differs from what was loaded: nothing else is sent, so nobody's change to another field is undone. */
export function changesOf(
  draft: PromotionDraft,
  loaded: PromotionDraft,
  shop: ShopUnits,
): UpdatePromotionInput | null {
  const next = inputOf(draft, shop)
  const before = inputOf(loaded, shop)
  if (next === null || before === null) return null
  const { conditions, ...terms } = differing(next, before)
  return conditions == null ? terms : { ...terms, conditions: differing(conditions, before.conditions ?? {}) }
}
