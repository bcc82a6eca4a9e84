import { filled } from './filled.ts'
import { medusaAddress, medusaName } from './medusa-address.ts'
import { type Fields, readRecords } from './medusa-records.ts'
import type { Reader, Row } from './shop-table.ts'

/** The customers of Medusa's Admin API, version 2 (JSON). */
export const medusaCustomers: Reader = async function* (file, { mapping }) {
  for await (const customer of readRecords(file, { list: 'customers', mapping }))
    yield { line: customer.line, row: customerOf(customer) }
}

function customerOf(customer: Fields): Row {
  const email = customer.text('email')
  const addresses = customer.list('addresses').flatMap((address) => {
    const found = medusaAddress(address, 'address')
    return found === null ? [] : [{ ...found, isDefault: address.isTrue('addressIsDefault') }]
  })
  const groups = customer
    .list('groups')
    .map((group) => group.text('groupName'))
    .filter((name) => name !== '')
  return {
    type: 'customer',
    ...filled({
      externalId: customer.text('id'),
      phone: customer.text('phone'),
      createdAt: customer.text('createdAt'),
    }),
    email,
    name: medusaName(customer, '') || customer.text('company') || email,
    ...(groups.length > 0 && { tags: groups }),
    ...(addresses.length > 0 && { addresses }),
  }
}
