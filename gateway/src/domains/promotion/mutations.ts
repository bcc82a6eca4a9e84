import {
  columnName,
  type CreatePromotionInput,
  type PromotionConditionsInput,
  type UpdatePromotionInput,
} from '@commerce-graph/contract'
import { invalidValue, outOfRange, requiredField, type UserError } from '@commerce-graph/contract/input'
import type { LookUp, MutationDefinition, Values } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
  valuesOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'

const promotionTable = table('promotion_promotion')
const campaignTable = table('promotion_campaign')
const productTable = table('catalog_product', { existing: { deleted_at: { _is_null: true } } })
const categoryTable = table('catalog_category')
const customerTable = table('crm_customer')

const maxInteger = 2_147_483_647
const maxPercentage = 100

const promotionColumns = [
  'name',
  'description',
  'code',
  'discountType',
  'discountValue',
  'startDate',
  'endDate',
  'disabled',
  'usageLimit',
] as const
const amounts = ['minPurchaseAmount', 'maxDiscountAmount'] as const
const idLists = ['productIds', 'categoryIds', 'customerIds'] as const

const noConditions: Values = {
  ...Object.fromEntries([...amounts, ...idLists].map((name) => [columnName(name), null])),
  first_order_only: false,
}

function conditionColumns(conditions: PromotionConditionsInput | null | undefined): Values {
  if (conditions === undefined) return {}
  if (conditions === null) return noConditions
  const lists = idLists.flatMap((name) => {
    const given = conditions[name]
    return given === undefined ? [] : [[columnName(name), given && [...new Set(given.map(toUuid))]] as const]
  })
  return {
    ...pick(conditions, amounts),
    ...Object.fromEntries(lists),
    ...(conditions.firstOrderOnly !== undefined && { first_order_only: conditions.firstOrderOnly ?? false }),
  }
}

const campaignColumn = (campaignId: string | null | undefined): Values =>
  campaignId === undefined ? {} : { campaign_id: campaignId === null ? null : toUuid(campaignId) }

/** Where only the stored type or period makes it wrong, the database's constraints say so. */
function contradictions(input: CreatePromotionInput | UpdatePromotionInput): readonly UserError[] {
  const { discountType, discountValue: value, startDate, endDate } = input
  const max = discountType === 'PERCENTAGE' ? maxPercentage : maxInteger
  const needsValue = discountType === 'PERCENTAGE' || discountType === 'FIXED_AMOUNT'
  const period =
    startDate != null && endDate != null && Date.parse(startDate) >= Date.parse(endDate)
      ? [invalidValue('endDate', 'The end must be after the start')]
      : []
  if (!needsValue || value === undefined) return period
  if (value === null) return [requiredField('discountValue'), ...period]
  return value < 1 || value > max ? [outOfRange('discountValue', value, 1, max), ...period] : period
}

const missingValue = ({ discountType, discountValue }: CreatePromotionInput): readonly UserError[] =>
  discountType !== 'FREE_SHIPPING' && discountValue === undefined ? [requiredField('discountValue')] : []

const promotionLookUps = (
  input: CreatePromotionInput | UpdatePromotionInput,
  id?: string,
): readonly LookUp[] => [
  absent(
    promotionTable,
    'code',
    valueOf('code', input.code),
    'Promotion',
    id === undefined ? undefined : byId(id),
  ),
  present(campaignTable, valueOf('campaignId', input.campaignId), 'Campaign'),
  present(productTable, valuesOf('conditions.productIds', input.conditions?.productIds), 'Product'),
  present(categoryTable, valuesOf('conditions.categoryIds', input.conditions?.categoryIds), 'Category'),
  present(customerTable, valuesOf('conditions.customerIds', input.conditions?.customerIds), 'Customer'),
]

const campaignColumns = ['name', 'description'] as const

export const promotionMutations: Readonly<Record<string, MutationDefinition>> = {
  createPromotion: creation<'createPromotion'>({
    record: 'Promotion',
    what: 'Promotion',
    check: (input) => [...missingValue(input), ...contradictions(input)],
    lookUps: (input) => promotionLookUps(input),
    write: (input) =>
      insertOne(promotionTable, {
        discount_value: 0,
        ...pick(input, promotionColumns, 'left out'),
        ...conditionColumns(input.conditions),
        ...campaignColumn(input.campaignId),
      }),
  }),
  updatePromotion: change<'updatePromotion'>({
    record: 'Promotion',
    what: 'Promotion',
    check: (input) => contradictions(input),
    lookUps: (input, { id }) => promotionLookUps(input, id),
    write: (input, { id }) =>
      update(promotionTable, byId(id), {
        ...pick(input, promotionColumns),
        ...conditionColumns(input.conditions),
        ...campaignColumn(input.campaignId),
      }),
  }),
  deletePromotion: deletion('Promotion', (id) => remove(promotionTable, byId(id))),
  createPromotionCampaign: creation<'createPromotionCampaign'>({
    record: 'PromotionCampaign',
    what: 'Campaign',
    lookUps: ({ name }) => [absent(campaignTable, 'name', valueOf('name', name), 'Campaign')],
    write: (input) => insertOne(campaignTable, pick(input, campaignColumns, 'left out')),
  }),
  updatePromotionCampaign: change<'updatePromotionCampaign'>({
    record: 'PromotionCampaign',
    what: 'Campaign',
    lookUps: ({ name }, { id }) => [
      absent(campaignTable, 'name', valueOf('name', name), 'Campaign', byId(id)),
    ],
    write: (input, { id }) => update(campaignTable, byId(id), pick(input, campaignColumns)),
  }),
  deletePromotionCampaign: deletion('Campaign', (id) => remove(campaignTable, byId(id))),
}
