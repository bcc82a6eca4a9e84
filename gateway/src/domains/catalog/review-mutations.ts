import { invalidValue } from '@commerce-graph/contract/input'
import type { MutationDefinition } from '../../mutation/definition.ts'
import {
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  present,
  remove,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'
import { customerTable, productTable, reviewTable } from './tables.ts'

const reviewColumns = ['authorName', 'rating', 'title', 'body', 'status'] as const

export const reviewMutations: Readonly<Record<string, MutationDefinition>> = {
  createReview: creation<'createReview'>({
    record: 'Review',
    what: 'Review',
    check: ({ customerId, status }, principal) =>
      principal.kind === 'customer'
        ? [
            ...(customerId == null || customerId === principal.customerId
              ? []
              : [invalidValue('customerId', 'A shopper writes reviews as itself')]),
            ...(status == null
              ? []
              : [invalidValue('status', 'Only the merchant decides whether a review is shown')]),
          ]
        : [],
    lookUps: ({ productId, customerId }) => [
      present(productTable, valueOf('productId', productId), 'Product'),
      present(customerTable, valueOf('customerId', customerId), 'Customer'),
    ],
    write: (input, _args, principal) =>
      insertOne(reviewTable, {
        ...pick(input, reviewColumns, 'left out'),
        product_id: toUuid(input.productId),
        // A shopper's own id is set by Hasura from the session; its role has no such column to write.
        ...(principal.kind !== 'customer' &&
          input.customerId != null && { customer_id: toUuid(input.customerId) }),
      }),
  }),
  updateReview: change<'updateReview'>({
    record: 'Review',
    what: 'Review',
    write: (input, { id }) => update(reviewTable, byId(id), pick(input, reviewColumns)),
  }),
  deleteReview: deletion('Review', (id) => remove(reviewTable, byId(id))),
}
