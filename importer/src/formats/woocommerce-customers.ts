import { isoTime } from './amounts.ts'
import { filled } from './filled.ts'
import { type Cells, readTable, type Reader, type Row } from './shop-table.ts'
import { nameOf, woocommerceAddress } from './woocommerce-address.ts'

/** The rows of the CSV export of WooCommerce's customers, who are users of WordPress. */
export const woocommerceCustomers: Reader = async function* (file, { mapping }) {
  for await (const cells of readTable(file, mapping)) yield { line: cells.line, row: customerOf(cells) }
}

function customerOf(cells: Cells): Row {
  const email = cells('email') || cells('billingEmail')
  const ownName = `${cells('firstName')} ${cells('lastName')}`.trim().slice(0, 200)
  const addresses = (['shipping', 'billing'] as const)
    .map((kind) => woocommerceAddress(cells, kind))
    .filter((address) => address !== null)
  const different = addresses.filter(
    (address, index) => addresses.findIndex((other) => placeOf(other) === placeOf(address)) === index,
  )
  const registered = isoTime(cells('registeredAt'))
  return {
    type: 'customer',
    ...filled({ externalId: cells('id'), phone: cells('billingPhone') }),
    email,
    name: ownName || nameOf(cells, 'billing') || cells('displayName') || email,
    ...(different.length > 0 && { addresses: different }),
    ...(registered !== null && { createdAt: registered }),
  }
}

/** An address without its phone number. */
const placeOf = (address: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...address, phone: undefined })
