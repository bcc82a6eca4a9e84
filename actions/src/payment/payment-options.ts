import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import type { Database } from '../database.ts'
import type { PaymentProcessor } from '../processors/processor.ts'
import type { Cashier } from './cashier.ts'
import type { CompleteRefund } from './refunds.ts'

export interface PaymentOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly cashier: Cashier
  readonly completeRefund: CompleteRefund
  /** What new card payments are made with; null: none are taken. */
  readonly cardProcessor: PaymentProcessor | null
}
