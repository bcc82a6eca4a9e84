import type { MerchantId } from '@commerce-graph/contract/ids'
import type { SecretBox } from '@commerce-graph/secret-box'
import { type Action, defineOperatorAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Database } from '../database.ts'
import {
  changeMerchantStatus,
  closeMerchant,
  type ClosingOutcome,
  confirmMerchantExport,
  defaultDeletionDelay,
  openMerchant,
  type StatusOutcome,
} from './accounts.ts'
import { named } from './named-merchant.ts'

export interface MerchantOptions {
  readonly database: Database
  readonly secretBox: SecretBox
}

/** The operators' actions on merchants, by the name of the mutation. */
export const accountActions = ({
  database,
  secretBox,
}: MerchantOptions): Readonly<Record<string, Action>> => ({
  createMerchant: defineOperatorAction(
    'createMerchant',
    async (_call, { input }) => {
      const opened = await database.begin((sql) => openMerchant({ sql, secretBox }, input))
      if (opened.outcome === 'unknown_language')
        return invalid(invalidValue('language', 'There is no such language here'))
      const { merchantId, liveKey, testKey, publishableKey } = opened
      return done({ merchantId, liveKey, testKey, publishableKey })
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
  confirmMerchantExport: defineOperatorAction('confirmMerchantExport', async (_call, { merchantId }) =>
    answer(merchantId, {
      outcome: (await confirmMerchantExport(database, merchantId as MerchantId)) ? 'changed' : 'unknown',
    }),
  ),
  closeMerchant: defineOperatorAction('closeMerchant', async (_call, input) =>
    answer(
      input.merchantId,
      await closeMerchant(database, {
        ...named(input),
        deleteAfterDays: input.deleteAfterDays ?? defaultDeletionDelay,
      }),
    ),
  ),
})

function answer(merchantId: string, outcome: StatusOutcome | ClosingOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId })
    case 'not_allowed':
      return invalid(
        invalidValue('merchantId', `This can not be done to a merchant in status ${outcome.status}`),
      )
    case 'not_exported':
      return invalid(
        invalidValue(
          'merchantId',
          'The merchant has to get its data first; confirmMerchantExport says that it has, for 30 days',
        ),
      )
    case 'unknown':
      return invalid(notFound('merchantId', 'Merchant'))
    default:
      return outcome satisfies never
  }
}
