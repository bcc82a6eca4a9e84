import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import type { Database } from '../database.ts'
import type { PaymentProcessor } from '../processors/processor.ts'
import type { PaymentAccounts } from './accounts.ts'
import type { Cashier } from './cashier.ts'
import type { CompleteRefund } from './refunds.ts'
import type { MethodKeeper } from './saved-methods/method-keeper.ts'

export interface PaymentOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly cashier: Cashier
  readonly completeRefund: CompleteRefund
  /** The processor of new card payments if the merchant has no account of its own; null: it takes no cards. */
  readonly cardProcessor: PaymentProcessor | null
  readonly accounts: PaymentAccounts
  readonly methodKeeper: MethodKeeper
}
