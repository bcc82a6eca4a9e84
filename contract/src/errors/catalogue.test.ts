import { isEnumType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { loadContract } from '../schema/load.ts'
import { catalogue, errorCodes, messageOf } from './catalogue.ts'
import { catalogueError, withStatus } from './catalogue-error.ts'

describe('the catalogue', () => {
  test('has exactly the codes of the SDL', () => {
    const declared = loadContract().schema.getType('ErrorCode')
    expect(isEnumType(declared) && declared.getValues().map(({ name }) => name)).toEqual([...errorCodes])
  })

  test('gives each status one code, as in the specification’s table', () => {
    const codes = new Map<number, Set<string>>()
    for (const { status, code } of Object.values(catalogue))
      codes.set(status, (codes.get(status) ?? new Set()).add(code))
    expect(Object.fromEntries([...codes].map(([status, set]) => [status, [...set]]))).toEqual({
      400: ['BAD_USER_INPUT'],
      401: ['UNAUTHENTICATED'],
      402: ['PAYMENT_FAILED'],
      403: ['UNAUTHORIZED'],
      409: ['CONFLICT'],
      429: ['RATE_LIMITED'],
      500: ['INTERNAL_SERVER_ERROR'],
    })
  })
})

describe('a message', () => {
  test('has its placeholders replaced, brackets included', () => {
    const message = messageOf('SVC_BIZ_001', { available: 3, requested: 5 })
    expect(message).toBe('Insufficient inventory. Available: 3, Requested: 5')
  })

  test('quotes a client’s text unchanged, but bounds its length', () => {
    expect(messageOf('SVC_VAL_004', { field: 'sku', value: '$& [value]' })).toBe(
      'A record with sku=$& [value] already exists',
    )
    expect(messageOf('SVC_VAL_004', { field: 'sku', value: 'x'.repeat(1e6) }).length).toBeLessThan(300)
  })
})

describe('an error', () => {
  test('has HTTP’s own status if it has one, and the code for it', () => {
    const error = catalogueError('SVC_SRV_001', {})
    expect(withStatus(error, 503)).toMatchObject({
      id: 'SVC_SRV_001',
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
    })
    expect(withStatus(error, 404)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
