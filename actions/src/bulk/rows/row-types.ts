import { type InputRule, loadContract } from '@commerce-graph/contract'

/** What a row is of, as `bulk.import` and the contract name it. */
export const recordTypes = ['PRODUCT', 'CUSTOMER', 'CATEGORY', 'PROMOTION', 'REVIEW', 'ORDER'] as const
export type RecordType = (typeof recordTypes)[number]

const inputTypes: Readonly<Record<RecordType, string>> = {
  PRODUCT: 'ImportProductRow',
  CUSTOMER: 'ImportCustomerRow',
  CATEGORY: 'ImportCategoryRow',
  PROMOTION: 'ImportPromotionRow',
  REVIEW: 'ImportReviewRow',
  ORDER: 'ImportOrderRow',
}

type ObjectRule = Extract<InputRule, { kind: 'object' }>

const { rowRules } = loadContract()

/** The rule for the rows of a type, from the SDL. */
export function ruleOfRows(type: RecordType): ObjectRule {
  const rule = rowRules.get(inputTypes[type])
  if (rule?.kind !== 'object') throw new Error(`The contract has no input ${inputTypes[type]}.`)
  return rule
}

/** The type that a row names, in upper or lower case; null: there is no such type. */
export const recordTypeNamed = (name: unknown): RecordType | null =>
  typeof name === 'string' ? (recordTypes.find((type) => type === name.toUpperCase()) ?? null) : null
