import type { CustomerSegmentFilterInput, SegmentPartsFragment } from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'

/** How the value of a condition is typed. */
export type ConditionKind = 'number' | 'days' | 'money' | 'list' | 'yesNo' | 'time' | 'tiers'

/** All conditions of the API, in the order in which one looks for them. */
export const conditions = {
  orderCountMin: { kind: 'number', name: 'ifOrdersMin' },
  orderCountMax: { kind: 'number', name: 'ifOrdersMax' },
  totalSpentMin: { kind: 'money', name: 'ifSpentMin' },
  totalSpentMax: { kind: 'money', name: 'ifSpentMax' },
  lastOrderWithinDays: { kind: 'days', name: 'ifOrderedWithin' },
  noOrderForDays: { kind: 'days', name: 'ifNotOrderedFor' },
  lastOrderAfter: { kind: 'time', name: 'ifLastOrderAfter' },
  lastOrderBefore: { kind: 'time', name: 'ifLastOrderBefore' },
  createdAfter: { kind: 'time', name: 'ifCreatedAfter' },
  createdBefore: { kind: 'time', name: 'ifCreatedBefore' },
  loyaltyTierIds: { kind: 'tiers', name: 'ifTiers' },
  tags: { kind: 'list', name: 'ifTags' },
  countries: { kind: 'list', name: 'ifCountries' },
  cities: { kind: 'list', name: 'ifCities' },
  marketingOptIn: { kind: 'yesNo', name: 'newsletter' },
  emailVerified: { kind: 'yesNo', name: 'ifEmailVerified' },
} as const satisfies Record<
  keyof CustomerSegmentFilterInput,
  { readonly kind: ConditionKind; readonly name: MessageName }
>

export type ConditionName = keyof typeof conditions

export const conditionNames = Object.keys(conditions) as readonly ConditionName[]

export const isCondition = (text: string): text is ConditionName => Object.hasOwn(conditions, text)

export type Filter = Readonly<Record<string, unknown>>

/** What a segment has, without the conditions that it hasn't. */
export const filterOf = (filter: SegmentPartsFragment['filter']): Filter =>
  Object.fromEntries(
    Object.entries(filter ?? {}).filter(([name, value]) => name !== '__typename' && value !== null),
  )

/** What one types with commas between: a tag or a city can be of several words. */
export const labelsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** @param today when the shop's day began, as the API has times */
export function emptyOf(kind: ConditionKind, today: string): unknown {
  switch (kind) {
    case 'list':
    case 'tiers':
      return []
    case 'yesNo':
      return true
    case 'days':
      return 30
    case 'time':
      return today
    case 'number':
    case 'money':
      return 0
    default:
      return kind satisfies never
  }
}
