import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome } from '../database.ts'

export interface AnonymizationOutcome {
  readonly outcome: 'changed' | 'unknown_customer' | 'orders_under_way' | 'appointments_ahead'
}

/** Forgets a customer and keeps the orders. Done twice, it changes nothing more. */
export async function anonymizeCustomer(
  database: Database,
  merchantId: MerchantId,
  customerId: string,
): Promise<AnonymizationOutcome> {
  return onlyOutcome(
    await database<{ outcome: AnonymizationOutcome }[]>`
      SELECT crm.anonymize_customer(${merchantId}, ${customerId}) AS outcome`,
  )
}
