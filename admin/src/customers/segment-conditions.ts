import type { CustomerSegmentFilterInput, SegmentPartsFragment } from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'

/** How the value of a condition is typed. */
export type ConditionKind = 'number' | 'days' | 'money' | 'list' | 'yesNo'

/** The conditions that the builder offers, in the order in which one looks for them. */
export const conditions = {
  orderCountMin: { kind: 'number', name: 'ifOrdersMin' },
  orderCountMax: { kind: 'number', name: 'ifOrdersMax' },
  totalSpentMin: { kind: 'money', name: 'ifSpentMin' },
  totalSpentMax: { kind: 'money', name: 'ifSpentMax' },
  lastOrderWithinDays: { kind: 'days', name: 'ifOrderedWithin' },
  noOrderForDays: { kind: 'days', name: 'ifNotOrderedFor' },
  tags: { kind: 'list', name: 'ifTags' },
  countries: { kind: 'list', name: 'ifCountries' },
  cities: { kind: 'list', name: 'ifCities' },
  marketingOptIn: { kind: 'yesNo', name: 'newsletter' },
  emailVerified: { kind: 'yesNo', name: 'ifEmailVerified' },
} as const satisfies Partial<
  Record<keyof CustomerSegmentFilterInput, { readonly kind: ConditionKind; readonly name: MessageName }>
>

export type ConditionName = keyof typeof conditions

export const conditionNames = Object.keys(conditions) as readonly ConditionName[]

export const isCondition = (text: string): text is ConditionName => Object.hasOwn(conditions, text)

export type Filter = Readonly<Record<string, unknown>>

/** What a segment has, without the conditions that it hasn't. Those that the builder doesn't offer are kept as they are. */
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

export const emptyOf = (kind: ConditionKind): unknown =>
  kind === 'list' ? [] : kind === 'yesNo' ? true : kind === 'days' ? 30 : 0
