import type { AddressInput, UpdateAddressInput } from '@commerce-graph/contract'
import type { Values } from './definition.ts'
import { pick } from './rows.ts'

const addressColumns = [
  'recipientName',
  'company',
  'line1',
  'line2',
  'city',
  'state',
  'postalCode',
  'country',
  'phone',
] as const

/** The columns of an address. */
export const addressValues = (
  given: AddressInput | UpdateAddressInput,
  nulls: 'kept' | 'left out' = 'kept',
): Values => pick(given, addressColumns, nulls)
