import { analyticsMutations } from '../domains/analytics/mutations.ts'
import { bookingMutations } from '../domains/booking/mutations.ts'
import { cartMutations } from '../domains/cart/mutations.ts'
import { catalogMutations } from '../domains/catalog/mutations.ts'
import { crmMutations } from '../domains/crm/mutations.ts'
import { emailMutations } from '../domains/email/mutations.ts'
import { identityMutations } from '../domains/identity/mutations.ts'
import { inventoryMutations } from '../domains/inventory/mutations.ts'
import { merchantMutations } from '../domains/merchant/mutations.ts'
import { notificationMutations } from '../domains/notification/mutations.ts'
import { orderMutations } from '../domains/ordering/mutations.ts'
import { paymentMutations } from '../domains/payment/mutations.ts'
import { promotionMutations } from '../domains/promotion/mutations.ts'
import { searchMutations } from '../domains/search/mutations.ts'
import type { MutationDefinition } from './definition.ts'

/** The contract's mutations, by the name of their field. */
export const mutations: Readonly<Record<string, MutationDefinition>> = {
  ...catalogMutations,
  ...orderMutations,
  ...cartMutations,
  ...inventoryMutations,
  ...identityMutations,
  ...crmMutations,
  ...bookingMutations,
  ...paymentMutations,
  ...promotionMutations,
  ...analyticsMutations,
  ...emailMutations,
  ...notificationMutations,
  ...searchMutations,
  ...merchantMutations,
}
