import type { TokenIssuer } from '@commerce-graph/access-tokens'
import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { blockCustomer, openBackendSession, unblockCustomer } from './customer-access.ts'

export interface CustomerAccessOptions {
  readonly database: Database
  readonly tokenIssuer: TokenIssuer
}

/** The merchant's actions on its customers' access, by the name of the mutation. */
export const customerAccessActions = ({
  database,
  tokenIssuer,
}: CustomerAccessOptions): Readonly<Record<string, Action>> => ({
  createCustomerAccessToken: defineAction('createCustomerAccessToken', {
    answersSecret: true,
    async handle({ session }, { customerId }) {
      const opened = await openBackendSession(database, tokenIssuer, session, customerId)
      if (opened.outcome !== 'opened') return refusal('customerId', opened.outcome)
      const { accessToken, expiresAt, sessionId } = opened
      return done({ accessToken, expiresAt: expiresAt.toISOString(), sessionId })
    },
  }),
  blockCustomer: defineAction('blockCustomer', {
    async handle({ session: { merchantId } }, input) {
      const { outcome } = await blockCustomer(database, merchantId, input)
      return changed(merchantId, input.id, outcome)
    },
  }),
  unblockCustomer: defineAction('unblockCustomer', {
    async handle({ session: { merchantId } }, input) {
      const { outcome } = await unblockCustomer(database, merchantId, input.id)
      return changed(merchantId, input.id, outcome)
    },
  }),
})

type Refused = 'unknown_customer' | 'anonymized' | 'blocked'

const changed = (
  merchantId: MerchantId,
  customerId: string,
  outcome: 'changed' | Exclude<Refused, 'blocked'>,
): Answer => (outcome === 'changed' ? done({ merchantId, customerId }) : refusal('id', outcome))

function refusal(field: 'id' | 'customerId', reason: Refused): Answer {
  switch (reason) {
    case 'unknown_customer':
      return invalid(notFound(field, 'Customer'))
    case 'anonymized':
      return invalid(invalidValue(field, 'The customer was anonymized'))
    case 'blocked':
      return invalid(invalidValue(field, 'The customer is blocked'))
    default:
      return reason satisfies never
  }
}
