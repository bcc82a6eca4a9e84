import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, forbidden, invalid, notFound, unchanged } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { ownerOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import { anonymizeCustomer } from './anonymization.ts'
import { adjustPoints, type PointsOutcome, redeemReward } from './points.ts'
import { countCustomersIn } from './segments.ts'

const maxInteger = 2_147_483_647

/** The domain's actions, by the name of the mutation. */
export const crmActions = (database: Database): Readonly<Record<string, Action>> => ({
  adjustLoyaltyPoints: adjust(database),
  redeemLoyaltyReward: redeem(database),
  anonymizeCustomer: anonymize(database),
  previewCustomerSegment: previewSegment(database),
})

const adjust = (database: Database): Action =>
  defineAction('adjustLoyaltyPoints', {
    check: ({ input: { points } }) =>
      points === 0 ? [invalidValue('points', 'There is nothing to adjust by 0')] : [],
    handle: async ({ session: { merchantId } }, { input }) =>
      answer(merchantId, 'points', await adjustPoints(database, merchantId, input)),
  })

const redeem = (database: Database): Action =>
  defineAction('redeemLoyaltyReward', {
    async handle({ session }, { input }) {
      const owner = ownerOf(session)
      if (owner !== null && owner !== input.customerId)
        return forbidden('A shopper spends only their own points')
      const { merchantId } = session
      return answer(merchantId, 'rewardId', await redeemReward(database, merchantId, input))
    },
  })

const anonymize = (database: Database): Action =>
  defineAction('anonymizeCustomer', {
    async handle({ session: { merchantId } }, { id }) {
      const { outcome } = await anonymizeCustomer(database, merchantId, id)
      const underWay = (message: string) => invalid(invalidValue('id', message))
      switch (outcome) {
        case 'changed':
          return done({ merchantId, customerId: id })
        case 'unknown_customer':
          return invalid(notFound('id', 'Customer'))
        case 'orders_under_way':
          return underWay('The customer has orders under way')
        case 'appointments_ahead':
          return underWay('The customer has appointments ahead')
        default:
          return outcome satisfies never
      }
    },
  })

const previewSegment = (database: Database): Action =>
  defineAction('previewCustomerSegment', {
    async handle({ session: { merchantId } }, { filter }) {
      const counted = await countCustomersIn(database, merchantId, filter)
      switch (counted.outcome) {
        case 'counted':
          return unchanged({ memberCount: counted.memberCount })
        case 'unknown_tier':
          return invalid(notFound('filter.loyaltyTierIds', 'Loyalty tier'))
        default:
          return counted satisfies never
      }
    },
  })

/** @param asked the field that asks for points */
function answer(merchantId: MerchantId, asked: 'points' | 'rewardId', outcome: PointsOutcome): Answer {
  const wrong = (field: string, message: string) => invalid(invalidValue(field, message))
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, entryId: outcome.entryId })
    case 'unknown_customer':
      return invalid(notFound('customerId', 'Customer'))
    case 'unknown_reward':
      return invalid(notFound('rewardId', 'Reward'))
    case 'reward_not_active':
      return wrong('rewardId', 'The reward can not be redeemed any more')
    case 'program_not_enabled':
      return wrong('rewardId', 'The loyalty programme is not enabled')
    case 'not_enough_points':
      return wrong(asked, `The customer has ${outcome.points} points`)
    case 'too_many_points':
      return wrong(asked, `A customer can have ${maxInteger} points`)
    default:
      return outcome satisfies never
  }
}
