import { action, type MutationDefinition, type Values } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { amount, type Fields, integer, optionalText, price, text } from '../../mutation/rules.ts'

const programTable = table('LoyaltyProgram', 'loyaltyPrograms')
const tierTable = table('LoyaltyTier', 'loyaltyTiers')
const rewardTable = table('LoyaltyReward', 'loyaltyRewards')

const maxInteger = 2_147_483_647

const programRules: Fields = {
  earnPoints: integer({ min: 1, max: 1_000_000 }),
  earnAmount: price,
  pointsExpireAfterDays: integer({ min: 1, max: 36_500 }),
}
const programColumns = ['enabled', 'earnPoints', 'earnAmount', 'pointsExpireAfterDays', 'tierBasis'] as const

const tierRules: Fields = {
  name: text({ max: 200 }),
  threshold: amount,
  benefits: optionalText({ max: 5000 }),
}
const tierColumns = ['name', 'threshold', 'benefits'] as const

const rewardRules: Fields = {
  name: text({ max: 200 }),
  description: optionalText({ max: 5000 }),
  points: integer({ min: 1, max: maxInteger }),
  // As much as a promotion can take off.
  discountAmount: integer({ min: 1, max: maxInteger }),
  minPurchaseAmount: amount,
  validDays: integer({ min: 1, max: 3650 }),
}
const rewardColumns = [
  'name',
  'description',
  'points',
  'discountAmount',
  'minPurchaseAmount',
  'validDays',
  'active',
] as const

interface Named {
  readonly name?: string | null
}

const entry = { record: { relationship: 'entry', projection: 'LoyaltyEntry' } } as const

export const loyaltyMutations: Readonly<Record<string, MutationDefinition>> = {
  updateLoyaltyProgram: change({
    record: 'LoyaltyProgram',
    what: 'Loyalty programme',
    rules: programRules,
    required: ['enabled', 'earnPoints', 'earnAmount', 'tierBasis'],
    byId: false,
    write: (input) => update(programTable, {}, pick(input as Values, programColumns)),
  }),
  createLoyaltyTier: creation<Named>({
    record: 'LoyaltyTier',
    what: 'Loyalty tier',
    rules: tierRules,
    lookUps: ({ name }) => [absent(tierTable, 'name', valueOf('name', name), 'Loyalty tier')],
    write: (input) => insertOne(tierTable, pick(input as Values, tierColumns, 'left out')),
  }),
  updateLoyaltyTier: change<Named>({
    record: 'LoyaltyTier',
    what: 'Loyalty tier',
    rules: tierRules,
    required: ['name', 'threshold'],
    lookUps: ({ name }, { id }) => [
      absent(tierTable, 'name', valueOf('name', name), 'Loyalty tier', byId(id)),
    ],
    write: (input, { id }) => update(tierTable, byId(id), pick(input as Values, tierColumns)),
  }),
  deleteLoyaltyTier: deletion('Loyalty tier', (id) => remove(tierTable, byId(id))),
  createLoyaltyReward: creation<Named>({
    record: 'LoyaltyReward',
    what: 'Reward',
    rules: rewardRules,
    lookUps: ({ name }) => [absent(rewardTable, 'name', valueOf('name', name), 'Reward')],
    write: (input) => insertOne(rewardTable, pick(input as Values, rewardColumns, 'left out')),
  }),
  updateLoyaltyReward: change<Named>({
    record: 'LoyaltyReward',
    what: 'Reward',
    rules: rewardRules,
    required: ['name', 'points', 'discountAmount', 'validDays', 'active'],
    lookUps: ({ name }, { id }) => [absent(rewardTable, 'name', valueOf('name', name), 'Reward', byId(id))],
    write: (input, { id }) => update(rewardTable, byId(id), pick(input as Values, rewardColumns)),
  }),
  deleteLoyaltyReward: deletion('Reward', (id) => remove(rewardTable, byId(id))),
  adjustLoyaltyPoints: action(entry),
  redeemLoyaltyReward: action({ ...entry, fromRecord: { couponCode: 'couponCode' } }),
}
