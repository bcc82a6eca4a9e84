import type { MutationDefinition } from '../../mutation/definition.ts'
import {
  byId,
  change,
  deletion,
  externalIdTaken,
  keptFields,
  pick,
  remove,
  table,
  update,
} from '../../mutation/rows.ts'

const cartTable = table('cart_cart')

export const cartMutations: Readonly<Record<string, MutationDefinition>> = {
  updateCart: change<'updateCart'>({
    record: 'Cart',
    what: 'Cart',
    lookUps: ({ externalId }, { id }) => [externalIdTaken(cartTable, 'Cart', externalId, id)],
    write: (input, { id }) => update(cartTable, byId(id), pick(input, keptFields)),
  }),
  deleteCart: deletion('Cart', (id) => remove(cartTable, byId(id))),
}
