import type { SecretBox } from '@commerce-graph/secret-box'
import { type Action, defineOperatorAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { userError } from '../action/input.ts'
import type { Database } from '../database.ts'
import { changeMerchantStatus, openMerchant, type StatusOutcome } from './accounts.ts'
import { named } from './named-merchant.ts'

export interface MerchantOptions {
  readonly database: Database
  readonly secretBox: SecretBox
}

/** What operators do to merchants as such, by the name of the mutation. */
export const accountActions = ({
  database,
  secretBox,
}: MerchantOptions): Readonly<Record<string, Action>> => ({
  createMerchant: defineOperatorAction(
    'createMerchant',
    async (_call, { input }) => {
      const opened = await database.begin((sql) => openMerchant({ sql, secretBox }, input))
      if (opened.outcome === 'unknown_language')
        return invalid(userError('language', { kind: 'value', message: 'There is no such language here' }))
      const { merchantId, liveKey, testKey } = opened
      return done({ merchantId, liveKey, testKey })
    },
    { answersSecret: true },
  ),
  suspendMerchant: defineOperatorAction('suspendMerchant', async (_call, input) =>
    answer(input.merchantId, await changeMerchantStatus(database, named(input), 'suspend')),
  ),
  reinstateMerchant: defineOperatorAction('reinstateMerchant', async (_call, { merchantId }) =>
    answer(
      merchantId,
      await changeMerchantStatus(database, named({ merchantId, reason: null }), 'reinstate'),
    ),
  ),
})

function answer(merchantId: string, outcome: StatusOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId })
    case 'not_allowed':
      return invalid(
        userError('merchantId', {
          kind: 'value',
          message: `This can not be done to a merchant in status ${outcome.status}`,
        }),
      )
    case 'unknown':
      return invalid(notFound('merchantId', 'Merchant'))
    default:
      return outcome satisfies never
  }
}
