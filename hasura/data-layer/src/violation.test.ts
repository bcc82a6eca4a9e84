import { describe, expect, test } from 'vitest'
import { type Violation, violationInMessage, violationOfProblem } from './violation.ts'

const detail = '{"plan": "FREE", "feature": "catalog", "requiredPlan": null}'

/** Postgres's messages, as Hasura words them over HTTP and as the engine in this process has them. */
const messages: readonly (readonly [string, string, string, string | undefined, Violation])[] = [
  [
    'Uniqueness violation. ',
    'duplicate key value violates unique constraint "customer_email_key"',
    '23505',
    'Key (email)=(a@b.example) already exists.',
    { sqlState: '23505', constraint: 'customer_email_key', stillReferenced: false, detail: null },
  ],
  [
    'Foreign key violation. ',
    'insert or update on table "review" violates foreign key constraint "review_customer_fkey"',
    '23503',
    undefined,
    { sqlState: '23503', constraint: 'review_customer_fkey', stillReferenced: false, detail: null },
  ],
  [
    'Foreign key violation. ',
    'update or delete on table "customer" violates foreign key constraint "order_customer_fkey" on table "order"',
    '23503',
    undefined,
    { sqlState: '23503', constraint: 'order_customer_fkey', stillReferenced: true, detail: null },
  ],
  [
    'Check constraint violation. ',
    `the plan FREE does not include catalog: constraint "plan_feature" ${detail}`,
    '23514',
    detail,
    { sqlState: '23514', constraint: 'plan_feature', stillReferenced: false, detail },
  ],
]

describe.each(messages)('%s%s', (prefix, message, sqlState, fromPostgres, violation) => {
  test('is the same over HTTP and in this process', () => {
    const constraint = violation.constraint
    expect(violationInMessage(prefix + message)).toEqual(violation)
    expect(violationOfProblem({ sqlState, message, detail: fromPostgres, constraint })).toEqual(violation)
  })
})

test('other errors are no violations, even when they quote one', () => {
  expect(violationInMessage('database query error')).toBeUndefined()
  expect(violationInMessage('invalid input: constraint "order_number_key"')).toBeUndefined()
  expect(
    violationOfProblem({ sqlState: '22P02', message: 'x', detail: undefined, constraint: undefined }),
  ).toBeUndefined()
})
