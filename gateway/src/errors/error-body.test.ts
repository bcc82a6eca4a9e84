import { catalogueError } from '@commerce-graph/contract/errors'
import { expect, test } from 'vitest'
import { refusalBody } from './error-body.ts'

const context = { requestId: 'r-1', now: Date.UTC(2026, 0, 31, 9, 30) }

test('an error has all fields of the specification', () => {
  const error = catalogueError(
    'SVC_VAL_002',
    { fieldName: 'email', format: 'e-mail address' },
    { field: 'email' },
  )
  expect(JSON.parse(refusalBody([error], context))).toEqual({
    errors: [
      {
        message: 'Field email has invalid format. Expected: e-mail address',
        extensions: {
          code: 'BAD_USER_INPUT',
          id: 'SVC_VAL_002',
          errorCode: 'INVALID_FORMAT',
          statusCode: 400,
          requestId: 'r-1',
          timestamp: '2026-01-31T09:30:00.000Z',
          details: { field: 'email', reason: 'Field email has invalid format. Expected: e-mail address' },
        },
      },
    ],
  })
})
