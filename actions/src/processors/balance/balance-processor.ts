import { manualProcessor } from '../manual/manual-processor.ts'
import type { PaymentProcessor } from '../processor.ts'

/**
 * Pays with a balance in the database. The balance goes down in the transaction that puts the payment on record, and up in the one
 * that settles its refund (triggers of `payment.payment`). So both are certain before this processor is asked, and no call
 * is made, as with money from outside.
 */
export const balanceProcessor: PaymentProcessor = { ...manualProcessor, name: 'balance', refundDays: 0 }
