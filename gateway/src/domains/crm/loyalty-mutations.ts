import type { MutationDefinition } from '../../mutation/definition.ts'
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

const programTable = table('crm_loyalty_program')
const tierTable = table('crm_loyalty_tier')
const rewardTable = table('crm_loyalty_reward')

const programColumns = [
  'enabled',
  'earnPoints',
  'earnAmount',
  'pointsExpireAfterDays',
  'pointValue',
  'tierBasis',
] as const

const tierColumns = ['name', 'threshold', 'benefits'] as const

const rewardColumns = [
  'name',
  'description',
  'points',
  'discountAmount',
  'minPurchaseAmount',
  'validDays',
  'active',
] as const

export const loyaltyMutations: Readonly<Record<string, MutationDefinition>> = {
  updateLoyaltyProgram: change<'updateLoyaltyProgram'>({
    record: 'LoyaltyProgram',
    what: 'Loyalty programme',
    byId: false,
    write: (input) => update(programTable, {}, pick(input, programColumns)),
  }),
  createLoyaltyTier: creation<'createLoyaltyTier'>({
    record: 'LoyaltyTier',
    what: 'Loyalty tier',
    lookUps: ({ name }) => [absent(tierTable, 'name', valueOf('name', name), 'Loyalty tier')],
    write: (input) => insertOne(tierTable, pick(input, tierColumns, 'left out')),
  }),
  updateLoyaltyTier: change<'updateLoyaltyTier'>({
    record: 'LoyaltyTier',
    what: 'Loyalty tier',
    lookUps: ({ name }, { id }) => [
      absent(tierTable, 'name', valueOf('name', name), 'Loyalty tier', byId(id)),
    ],
    write: (input, { id }) => update(tierTable, byId(id), pick(input, tierColumns)),
  }),
  deleteLoyaltyTier: deletion('Loyalty tier', (id) => remove(tierTable, byId(id))),
  createLoyaltyReward: creation<'createLoyaltyReward'>({
    record: 'LoyaltyReward',
    what: 'Reward',
    lookUps: ({ name }) => [absent(rewardTable, 'name', valueOf('name', name), 'Reward')],
    write: (input) => insertOne(rewardTable, pick(input, rewardColumns, 'left out')),
  }),
  updateLoyaltyReward: change<'updateLoyaltyReward'>({
    record: 'LoyaltyReward',
    what: 'Reward',
    lookUps: ({ name }, { id }) => [absent(rewardTable, 'name', valueOf('name', name), 'Reward', byId(id))],
    write: (input, { id }) => update(rewardTable, byId(id), pick(input, rewardColumns)),
  }),
  deleteLoyaltyReward: deletion('Reward', (id) => remove(rewardTable, byId(id))),
}
