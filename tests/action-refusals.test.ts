import { expect, test } from 'vitest'
import * as answers from '../actions/src/action/answer.ts'
import { catalogue, type CatalogueId, errorCodes } from '../gateway/src/errors/catalogue.ts'

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
  const others = new Set(['done', 'invalid', 'notFound'])
  const made = Object.entries(answers).flatMap(([name, value]) =>
    typeof value === 'function' && !others.has(name) ? [name] : [],
  )
  expect(made.sort()).toEqual(Object.keys(refusals).sort())
})

test('an unknown id is told with a code of the SDL', () => {
  expect(errorCodes).toContain(answers.notFound('id', 'thing').code)
})
