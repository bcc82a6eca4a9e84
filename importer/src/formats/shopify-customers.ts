import { type Mapping, readTable } from './shop-table.ts'

/** The rows of Shopify's export of customers (CSV). */
export async function* shopifyCustomers(
  file: string,
  mapping: Mapping,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  for await (const cells of readTable(file, mapping)) {
    const plain = (field: string) => cells(field).replace(/^'/, '')
    const address = Object.entries({
      line1: cells('address1'),
      line2: cells('address2'),
      city: cells('city'),
      state: cells('province'),
      postalCode: plain('zip'),
      country: cells('country'),
      phone: plain('addressPhone'),
    }).filter(([, text]) => text !== '')
    const name = `${cells('firstName')} ${cells('lastName')}`.trim()
    const tags = cells('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
    yield {
      type: 'customer',
      ...(plain('id') !== '' && { externalId: plain('id') }),
      email: cells('email'),
      name: name === '' ? cells('email') : name,
      ...(plain('phone') !== '' && { phone: plain('phone') }),
      marketingOptIn: cells('marketing').toLowerCase() === 'yes',
      ...(cells('note') !== '' && { notes: cells('note') }),
      ...(tags.length > 0 && { tags }),
      ...(address.length > 0 && { addresses: [Object.fromEntries(address)] }),
    }
  }
}
