import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import * as crm from '../sql/generated/crm.ts'

/** Forgets a customer and keeps the orders. Done twice, it changes nothing more. */
export const anonymizeCustomer = async (
  database: Database,
  merchantId: MerchantId,
  customerId: string,
): Promise<crm.AnonymizeCustomerAnswer> => crm.anonymizeCustomer(database, { merchantId, customerId })
