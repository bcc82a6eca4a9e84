import { expect, test } from 'vitest'
import * as answers from '../actions/src/action/answer.ts'
import { withIds } from '../actions/src/action/with-ids.ts'
import { notFound } from '@commerce-graph/contract/input'
import { catalogue, type CatalogueId, errorCodes } from '@commerce-graph/contract/errors'

/**
 * Every kind of refusal that an action can return, made by its constructor. The test below fails if a new kind is
 * missing here.
 */
const refusals: Readonly<Record<string, answers.Refusal>> = {
  forbidden: answers.forbidden('why'),
  sessionEnded: answers.sessionEnded(),
  tooManyAttempts: answers.tooManyAttempts(7),
  tooManyTests: answers.tooManyTests(7),
  insufficientInventory: answers.insufficientInventory(
    [{ sku: 'A', available: 1, requested: 2 }],
    () => 'quantity',
  ),
  paymentFailed: answers.paymentFailed('declined', {}),
  orderNotModifiable: answers.orderNotModifiable('id', '1', 'SHIPPED'),
  idempotencyKeyReused: answers.idempotencyKeyReused('key'),
}

test.each(Object.entries(refusals))(
  '%s has the message of the error catalogue',
  (_name, { id, status, message }) => {
    const entry = catalogue[id satisfies CatalogueId]
    expect(status).toBe(entry.status)
    const form = entry.message
      .split(/\[\w+\]/)
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.+')
    expect(message).toMatch(new RegExp(`^${form}$`))
  },
)

test('the list above has every refusal that actions can make', () => {
  const others = new Set(['done', 'invalid', 'notFound', 'unchanged'])
  const made = Object.entries(answers).flatMap(([name, value]) =>
    typeof value === 'function' && !others.has(name) ? [name] : [],
  )
  expect(made.sort()).toEqual(Object.keys(refusals).sort())
})

test.each([
  [{ id: 'abc' }, 'id'],
  [{ id: 'x', input: { items: [{ productId: 'abc' }] } }, 'items.0.productId'],
])('an unknown id in %j has the same message as an unknown row', (input, field) => {
  const answer = withIds(answers.invalid(answers.notFound(field, 'Product')), input)
  expect(answer).toEqual({ kind: 'invalid', errors: [notFound(field, 'Product', 'abc')] })
})

test('an unknown record that the input does not name has a message without an id', () => {
  const answer = withIds(answers.invalid(answers.notFound('items.0.productId', 'Product')), { id: 'abc' })
  expect(answer).toEqual({
    kind: 'invalid',
    errors: [{ field: 'items.0.productId', message: 'Product does not exist', code: 'NOT_FOUND' }],
  })
  expect(errorCodes).toContain('NOT_FOUND')
})
