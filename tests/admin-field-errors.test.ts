import type { RequestError } from '@commerce-graph/client'
import { describe, expect, test } from 'vitest'
import { faultsOf, noFaults } from '../admin/src/api/field-errors.ts'

const refusal = (): RequestError => ({
  kind: 'refused',
  message: 'The input is refused',
  id: null,
  code: null,
  statusCode: null,
  field: null,
  path: [],
  details: {},
  requestId: null,
  userErrors: [
    { field: 'input.name', message: 'Is too long', code: 'INVALID_VALUE' },
    { field: 'items.0.quantity', message: 'Is more than is left', code: 'INVALID_VALUE' },
    { field: 'slug', message: 'Is taken', code: 'INVALID_VALUE' },
  ],
})

describe('the faults of a form', () => {
  test('are at the fields that it has, and above it for all others', () => {
    expect(faultsOf(refusal(), ['name', 'items.0.quantity'])).toEqual({
      fields: { name: 'Is too long', 'items.0.quantity': 'Is more than is left' },
      general: 'Is taken',
    })
  })

  test('are the same object until the form is refused again, so that a corrected field stays corrected', () => {
    const error = refusal()
    expect(faultsOf(error, ['name'])).toBe(faultsOf(error, ['name']))
    expect(faultsOf(error, ['slug'])).not.toBe(faultsOf(error, ['name']))
    expect(faultsOf(refusal(), ['name'])).not.toBe(faultsOf(error, ['name']))
    expect(faultsOf(null, ['name'])).toBe(noFaults)
  })
})
