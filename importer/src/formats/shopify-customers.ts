import { filled, labels } from './filled.ts'
import { type Cells, readTable, type Reader, type Row } from './shop-table.ts'

/** The rows of Shopify's export of customers (CSV). */
export const shopifyCustomers: Reader = async function* (file, { mapping }) {
  for await (const cells of readTable(file, mapping)) yield { line: cells.line, row: customerOf(cells) }
}

function customerOf(cells: Cells): Row {
  const plain = (field: string) => cells(field).replace(/^'/, '')
  const address = filled({
    line1: cells('address1'),
    line2: cells('address2'),
    city: cells('city'),
    state: cells('province'),
    postalCode: plain('zip'),
    country: cells('country'),
    phone: plain('addressPhone'),
  })
  const name = `${cells('firstName')} ${cells('lastName')}`.trim()
  return {
    type: 'customer',
    ...filled({ externalId: plain('id'), phone: plain('phone'), notes: cells('note') }),
    email: cells('email'),
    name: name === '' ? cells('email') : name,
    marketingOptIn: cells('marketing').toLowerCase() === 'yes',
    ...labels('tags', cells('tags')),
    ...(Object.keys(address).length > 0 && {
      addresses: [{ ...filled({ company: cells('company') }), ...address }],
    }),
  }
}
