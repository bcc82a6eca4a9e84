import { expect, test } from 'vitest'
import { readFile, readPlaced } from './testing/read-file.ts'

const address = {
  first_name: 'Ann',
  last_name: 'Lee',
  address_1: '1 Road',
  city: 'Lyon',
  postal_code: '69001',
  company: 'Lee & Co',
  country_code: 'fr',
  phone: null,
}

/** 20 % tax is in the prices: two tees of 24.00 with 4.80 off, and shipping of 6.00. */
const order = {
  id: 'order_1',
  display_id: 7,
  status: 'completed',
  email: 'ann@example.com',
  currency_code: 'eur',
  created_at: '2024-05-01T10:00:00.000Z',
  updated_at: '2024-05-09T10:00:00.000Z',
  total: 49.2,
  tax_total: 8.2,
  shipping_total: 6,
  shipping_subtotal: 5,
  shipping_tax_total: 1,
  customer_id: 'cus_1',
  customer: { first_name: 'Ann', last_name: 'Lee', phone: '+33 1' },
  shipping_address: address,
  items: [
    {
      id: 'ordli_1',
      title: 'M',
      product_title: 'Tee',
      variant_title: 'M',
      variant_sku: 'TEE-M',
      product_id: 'prod_1',
      quantity: 2,
      unit_price: 24,
      is_tax_inclusive: true,
      subtotal: 40,
      total: 43.2,
      tax_total: 7.2,
    },
  ],
  payment_collections: [
    {
      payments: [
        {
          provider_id: 'pp_stripe',
          captured_at: '2024-05-01T10:05:00.000Z',
          captures: [{ amount: 49.2, created_at: '2024-05-01T10:05:00.000Z' }],
          refunds: [
            {
              amount: 10.5,
              created_at: '2024-05-08T10:00:00.000Z',
              note: null,
              refund_reason: { label: 'Torn' },
            },
          ],
        },
      ],
    },
  ],
  fulfillments: [
    {
      shipped_at: '2024-05-02T10:00:00.000Z',
      delivered_at: null,
      canceled_at: null,
      provider_id: 'dhl',
      labels: [{ tracking_number: 'JD1' }],
      items: [{ line_item_id: 'ordli_1', quantity: 1 }],
    },
    { shipped_at: '2024-05-02T10:00:00.000Z', canceled_at: '2024-05-03T10:00:00.000Z', items: [] },
  ],
}

test('an order of Medusa has its lines without tax, its captures, refunds and shipments', async () => {
  expect(await readFile('medusa-orders', JSON.stringify({ orders: [order], count: 1 }, null, 2))).toEqual([
    {
      type: 'order',
      externalId: 'order_1',
      orderNumber: '7',
      placedAt: '2024-05-01T10:00:00.000Z',
      currency: 'EUR',
      customer: { externalId: 'cus_1', email: 'ann@example.com', name: 'Ann Lee', phone: '+33 1' },
      shippingAddress: {
        recipientName: 'Ann Lee',
        company: 'Lee & Co',
        line1: '1 Road',
        city: 'Lyon',
        postalCode: '69001',
        country: 'FR',
      },
      lines: [{ name: 'Tee - M', sku: 'TEE-M', quantity: 2, price: 2000, discount: 400 }],
      shipping: 500,
      shippingDiscount: 0,
      tax: 820,
      total: 4920,
      payments: [{ amount: 4920, paidAt: '2024-05-01T10:05:00.000Z', reference: 'pp_stripe' }],
      paidAt: '2024-05-01T10:05:00.000Z',
      refunds: [{ amount: 1050, refundedAt: '2024-05-08T10:00:00.000Z', reason: 'Torn' }],
      shipments: [
        {
          shippedAt: '2024-05-02T10:00:00.000Z',
          carrier: 'dhl',
          trackingNumber: 'JD1',
          lines: [{ line: 1, quantity: 1 }],
        },
      ],
    },
  ])
})

test('answers of Medusa can stand one in each line; drafts are left out, and a cancelled order says so', async () => {
  const lines = [
    { orders: [{ ...order, display_id: 1, status: 'canceled', payment_collections: [] }] },
    { order: { ...order, display_id: 2, items: [{ ...order.items[0], variant_sku: null }] } },
    { ...order, display_id: 3, status: 'draft' },
  ]
  const rows = await readFile('medusa-orders', lines.map((line) => JSON.stringify(line)).join('\n'))
  expect(rows).toMatchObject([
    { orderNumber: '1', cancelledAt: '2024-05-09T10:00:00.000Z' },
    { orderNumber: '2', lines: [{ productExternalId: 'prod_1' }] },
  ])
  expect(rows).toHaveLength(2)
})

test('goods of Medusa that were sent before the money came wait for it', async () => {
  const orders = [{ ...order, payment_collections: [] }, order]
  const [unpaid, paid] = await readFile('medusa-orders', JSON.stringify({ orders }))
  expect(unpaid).toMatchObject({ status: 'PENDING', shipments: [{}] })
  expect(paid).not.toHaveProperty('status')
})

const variant = (title: string, amount: number) => ({
  sku: `TEE-${title}`,
  manage_inventory: title === 'M',
  inventory_quantity: 4,
  prices: [
    { currency_code: 'eur', amount: 1 },
    { currency_code: 'usd', amount: 2, rules_count: 1 },
    { currency_code: 'usd', amount, rules_count: 0 },
  ],
  options: [{ value: title, option: { title: 'Size' } }],
})
const product = {
  id: 'prod_1',
  title: 'Tee',
  handle: 'tee',
  status: 'published',
  description: 'A tee',
  created_at: '2024-01-01T00:00:00.000Z',
  images: [{ url: 'https://example.com/1.jpg' }],
  tags: [{ value: 'cotton' }],
  categories: [{ name: 'Tees', parent_category: { name: 'Clothing', parent_category: null } }],
  options: [{ title: 'Size', values: [{ value: 'M' }, { value: 'L' }] }],
  variants: [variant('M', 19.9), variant('L', 25)],
}

test('a product of Medusa has the prices of the currency, and the stock that Medusa counts', async () => {
  const single = {
    ...product,
    id: 'prod_2',
    options: [{ values: [{ value: 'One' }] }],
    variants: [variant('M', 5)],
  }
  expect(await readFile('medusa-products', JSON.stringify([product, single]))).toEqual([
    {
      type: 'product',
      externalId: 'prod_1',
      name: 'Tee',
      slug: 'tee',
      description: 'A tee',
      currency: 'USD',
      sku: 'tee',
      price: 1990,
      variants: [
        { sku: 'TEE-M', price: 1990, stock: 4, options: [{ name: 'Size', value: 'M' }] },
        { sku: 'TEE-L', price: 2500, options: [{ name: 'Size', value: 'L' }] },
      ],
      status: 'ACTIVE',
      categories: ['Clothing > Tees'],
      tags: ['cotton'],
      images: ['https://example.com/1.jpg'],
      createdAt: '2024-01-01T00:00:00.000Z',
    },
    expect.objectContaining({ sku: 'TEE-M', price: 500, stock: 4 }),
  ])
})

test('a customer of Medusa has its addresses, and its groups as tags', async () => {
  const customer = {
    id: 'cus_1',
    email: 'ann@example.com',
    first_name: null,
    last_name: null,
    company_name: 'Lee & Co',
    created_at: '2024-01-01T00:00:00.000Z',
    groups: [{ name: 'Wholesale' }],
    addresses: [{ ...address, is_default_shipping: true }],
  }
  expect(await readFile('medusa-customers', JSON.stringify({ customers: [customer] }))).toEqual([
    {
      type: 'customer',
      externalId: 'cus_1',
      createdAt: '2024-01-01T00:00:00.000Z',
      email: 'ann@example.com',
      name: 'Lee & Co',
      tags: ['Wholesale'],
      addresses: [
        {
          recipientName: 'Ann Lee',
          company: 'Lee & Co',
          line1: '1 Road',
          city: 'Lyon',
          postalCode: '69001',
          country: 'FR',
          isDefault: true,
        },
      ],
    },
  ])
})

test.each([
  ['no JSON', '{"orders": [', /is no JSON/],
  ['records of something else', '[{"a": 1}]', /none of the mapping's fields/],
])('a file with %s is refused', async (_, content, message) => {
  await expect(readFile('medusa-orders', content)).rejects.toThrow(message)
})

test.each([
  [
    'its line of JSON Lines',
    '{"customers":[{"email":"a@example.com"}]}\n\n{"email":"b@example.com"}\n',
    [1, 3],
  ],
  [
    'its number among the records of one document',
    '{\n"customers": [{"email":"a@example.com"},\n{"email":"b@example.com"}]}',
    [1, 2],
  ],
])('a row of Medusa has %s', async (_, content, lines) => {
  expect((await readPlaced('medusa-customers', content)).map(({ line }) => line)).toEqual(lines)
})
