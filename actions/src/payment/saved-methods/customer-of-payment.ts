import type { Database } from '../../database.ts'
import type { ChargeAnswer, ChargeRequest, MethodVault } from '../../processors/index.ts'
import type { Payment } from '../payments.ts'
import { ensureCustomer, holderOfPayment } from './processor-customers.ts'

type CustomerOfPayment =
  | { readonly kind: 'known'; readonly customer: NonNullable<ChargeRequest['customer']> | null }
  /** Nothing was charged. */
  | { readonly kind: 'not_known'; readonly answer: ChargeAnswer }

/** The record at the processor that a payment is made with, if it uses a saved method or saves its own. */
export async function customerOfPayment(
  database: Database,
  vault: MethodVault | null,
  { merchantId, id, savedMethod }: Payment,
): Promise<CustomerOfPayment> {
  if (savedMethod === null || vault === null) return { kind: 'known', customer: null }
  const holder = await holderOfPayment(database, merchantId, id)
  if (holder === null) return { kind: 'known', customer: null }
  const customer = await ensureCustomer(database, vault, holder)
  switch (customer.status) {
    case 'made':
      return {
        kind: 'known',
        customer: { id: customer.customerId, keepsMethod: savedMethod === 'KEPT' },
      }
    case 'refused':
      return {
        kind: 'not_known',
        answer: { status: 'declined', intentId: null, card: null, decline: customer.decline },
      }
    case 'unknown':
    case 'unauthorized':
      return { kind: 'not_known', answer: customer }
    default:
      return customer satisfies never
  }
}
