import { invalidValue, reviewTexts } from '@commerce-graph/contract/input'
import type { MutationDefinition, Values } from '../../mutation/definition.ts'
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
import { boundedText, type Fields, integer } from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'
import { customerTable, productTable, reviewTable } from './tables.ts'

const reviewColumns = ['authorName', 'rating', 'title', 'body', 'status'] as const

interface ReviewInput {
  readonly productId: string
  readonly customerId?: string | null
  readonly status?: string | null
}

const reviewRules: Fields = {
  authorName: boundedText(reviewTexts.authorName),
  rating: integer({ min: 1, max: 5 }),
  title: boundedText(reviewTexts.title),
  body: boundedText(reviewTexts.body),
}

export const reviewMutations: Readonly<Record<string, MutationDefinition>> = {
  createReview: creation<ReviewInput>({
    record: 'Review',
    what: 'Review',
    rules: reviewRules,
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
        ...pick(input as unknown as Values, reviewColumns, 'left out'),
        productId: toUuid(input.productId),
        // A shopper's own id is set by Hasura from the session; its role has no such column to write.
        ...(principal.kind !== 'customer' &&
          input.customerId != null && { customerId: toUuid(input.customerId) }),
      }),
  }),
  updateReview: change<Partial<ReviewInput>>({
    record: 'Review',
    what: 'Review',
    rules: reviewRules,
    required: ['authorName', 'rating', 'status'],
    write: (input, { id }) => update(reviewTable, byId(id), pick(input, reviewColumns)),
  }),
  deleteReview: deletion('Review', (id) => remove(reviewTable, byId(id))),
}
