import { expect, test } from 'vitest'
import * as answers from '../actions/src/action/answer.ts'
import { withIds } from '../actions/src/action/with-ids.ts'
import { notFound } from '@commerce-graph/contract/input'
import { catalogue, type CatalogueId, errorCodes } from '@commerce-graph/contract/errors'

/** Every way in which an action refuses, as it is made. A new one is found by its absence here. */
const refusals: Readonly<Record<string, answers.Refusal>> = {
  forbidden: answers.forbidden('why'),
  sessionEnded: answers.sessionEnded(),
  tooManyAttempts: answers.tooManyAttempts(7),
  insufficientInventory: answers.insufficientInventory(
    [{ sku: 'A', available: 1, requested: 2 }],
    () => 'quantity',
  ),
  paymentFailed: answers.paymentFailed('declined', {}),
  orderNotModifiable: answers.orderNotModifiable('id', '1', 'SHIPPED'),
  idempotencyKeyReused: answers.idempotencyKeyReused('key'),
}

test.each(Object.entries(refusals))('%s says what the catalogue says', (_name, { id, status, message }) => {
  const entry = catalogue[id satisfies CatalogueId]
  expect(status).toBe(entry.status)
  const form = entry.message
    .split(/\[\w+\]/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.+')
  expect(message).toMatch(new RegExp(`^${form}$`))
})

test('every refusal that actions make is compared', () => {
  const others = new Set(['done', 'invalid', 'notFound', 'told'])
  const made = Object.entries(answers).flatMap(([name, value]) =>
    typeof value === 'function' && !others.has(name) ? [name] : [],
  )
  expect(made.sort()).toEqual(Object.keys(refusals).sort())
})

test.each([
  [{ id: 'abc' }, 'id'],
  [{ id: 'x', input: { items: [{ productId: 'abc' }] } }, 'items.0.productId'],
])('an unknown id in %j is worded as for rows', (input, field) => {
  const answer = withIds(answers.invalid(answers.notFound(field, 'Product')), input)
  expect(answer).toEqual({ kind: 'invalid', errors: [notFound(field, 'Product', 'abc')] })
})

test('an unknown record that the input does not name is worded without its id', () => {
  const answer = withIds(answers.invalid(answers.notFound('items.0.productId', 'Product')), { id: 'abc' })
  expect(answer).toEqual({
    kind: 'invalid',
    errors: [{ field: 'items.0.productId', message: 'Product does not exist', code: 'NOT_FOUND' }],
  })
  expect(errorCodes).toContain('NOT_FOUND')
})
