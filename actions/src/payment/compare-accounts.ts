import type { Database } from '../database.ts'
import { type AccountCredentials, type ChargeAnswer, kindOf } from '../processors/index.ts'
import { type AccountsOptions, credentialsOf, type StoredAccount } from './accounts.ts'

/** `unused`: there is no payment yet. `unanswered`: the processor can't be reached, so nothing is known. */
export type AccountVerdict = 'same' | 'unused' | 'other' | 'unanswered'

/**
 * Whether credentials belong to the processor's account that a stored account stands for: they do if they find its
 * latest payment. Without a payment there is nothing to lose. A payment is asked for, and not the account's id, because
 * restricted keys may read payments only.
 */
export async function compareAccounts(
  { database, secretBox, endpoints }: Omit<AccountsOptions, 'guard'>,
  account: StoredAccount,
  credentials: AccountCredentials,
): Promise<AccountVerdict> {
  const { clientId } = credentialsOf(secretBox, account)
  // A client id names an app of one account; only its secret was replaced.
  if (clientId !== null && clientId === credentials.clientId) return 'same'
  const payment = await latestPayment(database, account)
  if (payment === null) return 'unused'
  const answer = await kindOf(account.processor).connect(credentials, endpoints).retrieve(payment.intentId)
  return verdictOf(answer, payment)
}

interface MadePayment {
  readonly intentId: string
  readonly taken: boolean
}

/** The processors remember a payment whose money was taken the longest. */
async function latestPayment(sql: Database, { merchantId, id }: StoredAccount): Promise<MadePayment | null> {
  const [row] = await sql<MadePayment[]>`
    SELECT processor_payment_intent_id AS "intentId", taken FROM payment.payment
    WHERE merchant_id = ${merchantId} AND account_id = ${id} AND processor_payment_intent_id IS NOT NULL
    ORDER BY taken DESC, created_at DESC LIMIT 1`
  return row ?? null
}

function verdictOf(answer: ChargeAnswer, { taken }: MadePayment): AccountVerdict {
  switch (answer.status) {
    case 'unknown':
      return 'unanswered'
    case 'unauthorized':
      return 'other'
    // Stripe's refusal of a request for an intent that it doesn't know names no intent.
    case 'declined':
      return answer.intentId === null ? 'other' : 'same'
    // PayPal's answer for an order that it doesn't know, or has forgotten; it forgets none whose money was taken.
    case 'cancelled':
      return taken ? 'other' : 'same'
    case 'succeeded':
    case 'authorized':
    case 'requires_action':
    case 'processing':
    case 'approved':
    case 'untaken':
      return 'same'
    default:
      return answer satisfies never
  }
}
