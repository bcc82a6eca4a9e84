import { analyticsMutations } from '../domains/analytics/mutations.ts'
import { bookingMutations } from '../domains/booking/mutations.ts'
import { cartMutations } from '../domains/cart/mutations.ts'
import { catalogMutations } from '../domains/catalog/mutations.ts'
import { crmMutations } from '../domains/crm/mutations.ts'
import { emailMutations } from '../domains/email/mutations.ts'
import { inventoryMutations } from '../domains/inventory/mutations.ts'
import { merchantMutations } from '../domains/merchant/mutations.ts'
import { notificationMutations } from '../domains/notification/mutations.ts'
import { orderMutations } from '../domains/ordering/mutations.ts'
import { paymentMutations } from '../domains/payment/mutations.ts'
import { metadataMutations } from '../domains/metadata/mutations.ts'
import { promotionMutations } from '../domains/promotion/mutations.ts'
import { searchMutations } from '../domains/search/mutations.ts'
import type { Contract } from '@commerce-graph/contract'
import type { MutationDefinition } from './definition.ts'

/** The contract's mutations that write rows, by the name of their field. */
const rowMutations: Readonly<Record<string, MutationDefinition>> = {
  ...catalogMutations,
  ...orderMutations,
  ...cartMutations,
  ...inventoryMutations,
  ...crmMutations,
  ...bookingMutations,
  ...paymentMutations,
  ...metadataMutations,
  ...promotionMutations,
  ...analyticsMutations,
  ...emailMutations,
  ...notificationMutations,
  ...searchMutations,
  ...merchantMutations,
}

/**
 * The definition of a mutation: the SDL defines an action, and a domain's `mutations.ts` a mutation that writes rows.
 */
export function mutationNamed(name: string, { actions }: Contract): MutationDefinition | undefined {
  const action = actions.get(name)
  return action ? { kind: 'action', ...action } : rowMutations[name]
}

/** The names of all mutations that something is said of. */
export const mutationNames = ({ actions }: Contract): readonly string[] => [
  ...actions.keys(),
  ...Object.keys(rowMutations),
]
