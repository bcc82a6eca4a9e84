import type { MerchantId } from '@commerce-graph/contract/ids'
import type { UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import { refusalMessages } from '../processors/index.ts'
import type { PaymentOptions } from './payment-options.ts'
import { findPayment } from './payments.ts'

/**
 * The error of a part that the payment's processor can't take or give back; null if it can, and if there is no such payment. It is looked
 * for before the part is on record: a reservation of which the processor has refused a capture counts as failed.
 *
 * @param part minor units; null for all that there is, which the processor has taken or reserved itself
 */
export async function refusedPart(
  { database, cashier }: Pick<PaymentOptions, 'database' | 'cashier'>,
  merchantId: MerchantId,
  paymentId: string,
  part: number | null,
): Promise<UserError | null> {
  const payment = part === null ? null : await findPayment(database, merchantId, paymentId, null)
  if (part === null || payment === null) return null
  const refusal = await cashier.refusalOf(payment, part)
  return refusal === null ? null : invalidValue('amount', refusalMessages[refusal])
}
