import { type Action, defineAction } from '../action/action.ts'
import { done, invalid, notFound } from '../action/answer.ts'
import type { Database } from '../database.ts'
import { recordView } from './product-views.ts'

/** The domain's actions, by the name of the mutation. */
export const analyticsActions = (database: Database): Readonly<Record<string, Action>> => ({
  recordProductView: defineAction('recordProductView', {
    async handle({ session: { merchantId, role } }, { productId }) {
      const outcome = await recordView(database, merchantId, productId, { onlySold: role === 'customer' })
      switch (outcome.outcome) {
        case 'recorded':
          return done({ merchantId, productId })
        case 'unknown_product':
          return invalid(notFound('productId', 'Product'))
        default:
          return outcome satisfies never
      }
    },
  }),
})
