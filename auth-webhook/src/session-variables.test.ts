import { describe, expect, test } from 'vitest'
import type { ApiKeyId, CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import { sessionVariables } from './session-variables.ts'

const merchantId = 'm' as MerchantId

describe('session variables', () => {
  test('of a key have role merchant, and permissions as a Postgres array', () => {
    const subject = { kind: 'key', merchantId, keyId: 'k' as ApiKeyId } as const
    expect(sessionVariables(subject, ['orders:read', 'api_keys:write'])).toEqual({
      'x-hasura-role': 'merchant',
      'x-hasura-merchant-id': 'm',
      'x-hasura-principal-id': 'k',
      'x-hasura-key-id': 'k',
      'x-hasura-permissions': '{orders:read,api_keys:write}',
    })
  })

  test("of a shopper have role customer and the customer's id", () => {
    const subject = { kind: 'customer', merchantId, customerId: 'c' as CustomerId } as const
    expect(sessionVariables(subject, [])).toEqual({
      'x-hasura-role': 'customer',
      'x-hasura-merchant-id': 'm',
      'x-hasura-customer-id': 'c',
      'x-hasura-permissions': '{}',
    })
  })

  test('keep a permission as one element, whatever characters it has', () => {
    const subject = { kind: 'key', merchantId, keyId: 'k' as ApiKeyId } as const
    expect(sessionVariables(subject, ['a,b}', 'say "hi"\\'])['x-hasura-permissions']).toBe(
      '{"a,b}","say \\"hi\\"\\\\"}',
    )
  })
})
