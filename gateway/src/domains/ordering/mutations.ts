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

const orderTable = table('ordering_order')

const draftOrderTable = table('ordering_draft_order')
export const orderMutations: Readonly<Record<string, MutationDefinition>> = {
  updateOrder: change<'updateOrder'>({
    record: 'Order',
    what: 'Order',
    lookUps: ({ externalId }, { id }) => [externalIdTaken(orderTable, 'Order', externalId, id)],
    write: (input, { id }) => update(orderTable, byId(id), pick(input, ['notes', 'tags', ...keptFields])),
  }),
  deleteDraftOrder: deletion('Draft order', (id) => remove(draftOrderTable, byId(id))),
}
