import { expect, test } from 'vitest'
import { accessOf, readInput } from './read-input.ts'

const id = 'a3bb189e-8bf9-3888-9912-ace4e6543002'

test('an action gets null for absent fields, the contract’s defaults, and countries as codes', () => {
  const address = { line1: '1', city: 'Bonn', state: 'NW', postalCode: '53111', country: 'germany' }
  expect(readInput('setCartShippingAddress', { cartId: id, address }, 'null')).toEqual({
    kind: 'input',
    input: {
      cartId: id,
      address: { ...address, country: 'DE', recipientName: null, company: null, line2: null, phone: null },
    },
  })
  expect(readInput('createApiKey', { input: { name: 'a', permissions: ['x:read'] } }, 'null')).toEqual({
    kind: 'input',
    input: { input: { name: 'a', mode: 'LIVE', permissions: ['x:read'], expiresAt: null } },
  })
})

test('an update distinguishes absent fields from null', () => {
  expect(readInput('updateUser', { id, input: { phone: null } }, 'kept')).toEqual({
    kind: 'input',
    input: { id, input: { phone: null } },
  })
  expect(readInput('updateUser', { id, input: { name: null } }, 'kept')).toMatchObject({
    errors: [{ field: 'name', code: 'REQUIRED_FIELD' }],
  })
})

test('a bigint from Hasura may be a number or a string of digits', () => {
  for (const amount of [5, '5'])
    expect(readInput('capturePayment', { id, amount }, 'null')).toEqual({
      kind: 'input',
      input: { id, amount: 5, final: null },
    })
  expect(readInput('capturePayment', { id, amount: '0' }, 'null')).toMatchObject({
    errors: [{ field: 'amount', code: 'OUT_OF_RANGE' }],
  })
})

test('values that Hasura’s types accept must also fit the contract’s: ids, enumerations, e-mail addresses, times', () => {
  const sent = { input: { serviceId: 'x', customerId: id, startTime: 'tomorrow' } }
  expect(readInput('createAppointment', sent, 'null')).toMatchObject({
    errors: [
      { field: 'serviceId', code: 'INVALID_FORMAT' },
      { field: 'startTime', code: 'INVALID_FORMAT' },
    ],
  })
  expect(readInput('changePlan', { plan: 'GOLD' }, 'null')).toMatchObject({
    errors: [{ field: 'plan', code: 'INVALID_FORMAT' }],
  })
})

test('the contract defines who may call an action', () => {
  expect(accessOf('createOrder')).toEqual({ roles: ['customer', 'merchant'], permission: 'orders:write' })
  expect(accessOf('processOrder')).toEqual({ roles: ['merchant'], permission: 'orders:write' })
  expect(accessOf('setMerchantPlan')).toEqual({ roles: ['operator'], permission: null })
  expect(accessOf('signOut')).toEqual({ roles: ['customer', 'guest', 'merchant'], permission: null })
})

test('a value out of bounds is still compared with other fields, a value of another type is not', () => {
  const input = { customerId: id, points: 0, reason: ' ' }
  expect(readInput('adjustLoyaltyPoints', { input }, 'null')).toMatchObject({
    kind: 'invalid',
    input: { input },
  })
  const misshapen = { input: { ...input, points: 'many' } }
  expect(readInput('adjustLoyaltyPoints', misshapen, 'null')).toMatchObject({ kind: 'invalid', input: null })
})
