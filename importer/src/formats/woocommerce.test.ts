import { expect, test } from 'vitest'
import { csvOf, readFile, readPlaced } from './testing/read-file.ts'

const order = {
  order_id: '731',
  order_number: '731',
  order_date: '2019-04-02 08:15:00',
  paid_date: '2019-04-02T08:16:10+02:00',
  status: 'completed',
  shipping_total: '4.90',
  fee_total: '1.50',
  tax_total: '6.08',
  order_total: '38.08',
  order_currency: 'EUR',
  payment_method_title: 'PayPal',
  transaction_id: '7AB',
  customer_id: '12',
  customer_email: 'ann@example.com',
  billing_first_name: 'Ann',
  billing_last_name: 'Lee',
  billing_company: 'Lee & Co',
  billing_email: 'ann@example.com',
  billing_phone: '+49 30 1',
  billing_address_1: '1 Road',
  billing_city: 'Berlin',
  billing_postcode: '10115',
  billing_country: 'DE',
  customer_note: 'Ring twice',
  fee_items: 'name:Gift wrap|total:1.50|tax:0.29|tax_data:a:1:{s:5:"total";a:1:{i:1;s:4:"0.29";}}',
  coupon_items: 'code:spring|amount:4.40',
  refund_items: '',
  line_item_1:
    'name:Tee | red: large|product_id:88|sku:TEE-R-L|quantity:3|total:20.00|sub_total:22.20|tax:3.80',
  line_item_2:
    'name:Sticker|product_id:91|sku:|quantity:1|total:5.60|sub_total:7.80|meta:_note:a|refunded:5.60',
}

test('an order of WooCommerce has its lines, fees, coupon, payment and shipment, and its parts come to its total', async () => {
  expect(await readFile('woocommerce-orders', csvOf([order]))).toEqual([
    {
      type: 'order',
      externalId: '731',
      orderNumber: '731',
      placedAt: '2019-04-02T08:15:00Z',
      currency: 'EUR',
      customer: { externalId: '12', email: 'ann@example.com', name: 'Ann Lee', phone: '+49 30 1' },
      shippingAddress: {
        recipientName: 'Ann Lee',
        company: 'Lee & Co',
        line1: '1 Road',
        city: 'Berlin',
        postalCode: '10115',
        country: 'DE',
        phone: '+49 30 1',
      },
      lines: [
        { name: 'Tee | red: large', sku: 'TEE-R-L', quantity: 3, price: 740, discount: 220 },
        { name: 'Sticker', productExternalId: '91', quantity: 1, price: 780, discount: 220 },
        { name: 'Gift wrap', quantity: 1, price: 150 },
      ],
      shipping: 490,
      discount: 0,
      tax: 608,
      total: 3808,
      couponCode: 'spring',
      notes: 'Ring twice',
      paidAt: '2019-04-02T08:16:10+02:00',
      payments: [{ amount: 3808, paidAt: '2019-04-02T08:16:10+02:00', reference: 'PayPal 7AB' }],
      shipments: [{ shippedAt: '2019-04-02T08:16:10+02:00' }],
    },
  ])
})

test.each([
  [
    'a guest has no external id',
    { customer_id: '0', customer_email: '' },
    { customer: { email: 'ann@example.com', name: 'Ann Lee', phone: '+49 30 1' } },
  ],
  [
    'a price of a third of a cent is rounded up, and its discount has the rest',
    { line_item_1: 'name:Pen|sku:PEN|quantity:3|total:20.00|sub_total:20.00' },
    { lines: [{ price: 667, discount: 1 }, {}, {}] },
  ],
  ['a rounding of a cent is in the tax', { tax_total: '6.07' }, { tax: 608 }],
  ['an amount that is missing stays missing, and is refused', { tax_total: '1.00' }, { tax: 100 }],
  [
    'a fee below zero is a discount',
    { fee_items: 'name:Loyal|total:-1.50|tax:0', order_total: '35.08' },
    { discount: 150, tax: 608, total: 3508 },
  ],
  [
    'several refunds keep their dates and reasons',
    {
      refund_items:
        'amount:5.00|reason:torn; sleeve|date:2019-04-09 10:00:00;amount:2.50|reason:|date:2019-05-01 10:00:00',
    },
    {
      refunds: [
        { amount: 500, reason: 'torn; sleeve', refundedAt: '2019-04-09T10:00:00Z' },
        { amount: 250, refundedAt: '2019-05-01T10:00:00Z' },
      ],
    },
  ],
  [
    'an order that is refunded without details was refunded whole',
    { status: 'refunded' },
    { refunds: [{ amount: 3808, refundedAt: '2019-04-02T08:16:10+02:00' }] },
  ],
  ['a cancelled order says so', { status: 'wc-cancelled' }, { cancelledAt: '2019-04-02T08:16:10+02:00' }],
])('in an order of WooCommerce, %s', async (_, fields, expected) => {
  expect(await readFile('woocommerce-orders', csvOf([{ ...order, ...fields }]))).toMatchObject([expected])
})

test('an order of WooCommerce that waits for its payment is unpaid, and a draft of a checkout is no order', async () => {
  const unpaid = {
    ...order,
    status: 'on-hold',
    paid_date: '',
    customer_id: '0',
    customer_email: '',
    billing_email: '',
  }
  const [row, ...more] = await readFile(
    'woocommerce-orders',
    csvOf([unpaid, { ...order, status: 'checkout-draft' }]),
  )
  expect(more).toEqual([])
  for (const field of ['customer', 'payments', 'paidAt', 'refunds', 'shipments', 'cancelledAt'])
    expect(row).not.toHaveProperty(field)
})

const tee = {
  ID: '88',
  Type: 'variable',
  SKU: 'TEE',
  Name: 'Tee',
  Published: '1',
  'Is featured?': '1',
  'Short description': 'Short',
  Description: '<p>A <b>tee</b> &amp; more</p>',
  Categories: 'Clothing > Tees, Hats\\, caps',
  Tags: 'cotton, basic',
  Images: 'https://example.com/1.jpg, https://example.com/2.jpg',
  'Attribute 1 name': 'Size',
  'Attribute 1 value(s)': 'M, L',
}
const variation = {
  Type: 'variation',
  Parent: 'TEE',
  'Attribute 1 name': 'Size',
  'Regular price': '20.00',
}

test('a product of WooCommerce has the variations that name it, wherever they stand', async () => {
  const rows = [
    { ...variation, ID: '90', SKU: 'TEE-L', 'Attribute 1 value(s)': 'L', 'Sale price': '15.50', Stock: '-2' },
    tee,
    { ...variation, ID: '89', SKU: 'TEE-M', 'Attribute 1 value(s)': 'M', Stock: 'parent', Parent: 'id:88' },
    {
      ID: '95',
      Type: 'simple, virtual',
      Name: 'Sticker',
      Published: '-1',
      'Regular price': '3',
      Stock: '7',
    },
  ]
  expect(await readFile('woocommerce-products', csvOf(rows))).toEqual([
    {
      type: 'product',
      externalId: '88',
      name: 'Tee',
      currency: 'USD',
      sku: 'TEE',
      price: 1550,
      variants: [
        { sku: 'TEE-M', price: 2000, options: [{ name: 'Size', value: 'M' }] },
        {
          sku: 'TEE-L',
          price: 1550,
          compareAtPrice: 2000,
          stock: 0,
          options: [{ name: 'Size', value: 'L' }],
        },
      ],
      description: 'A tee & more',
      status: 'ACTIVE',
      featured: true,
      categories: ['Clothing > Tees', 'Hats, caps'],
      tags: ['cotton', 'basic'],
      images: ['https://example.com/1.jpg', 'https://example.com/2.jpg'],
    },
    {
      type: 'product',
      externalId: '95',
      name: 'Sticker',
      currency: 'USD',
      sku: 'id-95',
      price: 300,
      stock: 7,
      status: 'DRAFT',
      featured: false,
    },
  ])
})

test('a sale of WooCommerce that is over or has not begun is no price', async () => {
  const simple = {
    ID: '1',
    Type: 'simple',
    SKU: 'A',
    Name: 'Thing',
    'Regular price': '9.00',
    'Sale price': '5.00',
  }
  const rows = [
    { ...simple, 'Date sale price ends': '2001-01-01' },
    { ...simple, 'Date sale price starts': '2999-01-01' },
    { ...simple, 'Date sale price starts': '2001-01-01', 'Date sale price ends': '2999-01-01' },
  ]
  const found = await readFile('woocommerce-products', csvOf(rows))
  expect(found).toMatchObject([{ price: 900 }, { price: 900 }, { price: 500, compareAtPrice: 900 }])
})

test('a customer of WooCommerce has the different ones of its two addresses', async () => {
  const customer = {
    ID: '12',
    user_email: 'ann@example.com',
    first_name: 'Ann',
    last_name: 'Lee',
    user_registered: '2018-01-01 09:00:00',
    billing_address_1: '1 Road',
    billing_city: 'Berlin',
    billing_country: 'DE',
    billing_phone: '+49 30 1',
    shipping_address_1: '1 Road',
    shipping_city: 'Berlin',
    shipping_country: 'DE',
  }
  const elsewhere = { ...customer, ID: '13', first_name: '', last_name: '', shipping_city: 'Bonn' }
  expect(await readFile('woocommerce-customers', csvOf([customer, elsewhere]))).toEqual([
    {
      type: 'customer',
      externalId: '12',
      phone: '+49 30 1',
      email: 'ann@example.com',
      name: 'Ann Lee',
      addresses: [{ line1: '1 Road', city: 'Berlin', country: 'DE' }],
      createdAt: '2018-01-01T09:00:00Z',
    },
    expect.objectContaining({
      name: 'ann@example.com',
      addresses: [
        { line1: '1 Road', city: 'Bonn', country: 'DE' },
        { line1: '1 Road', city: 'Berlin', country: 'DE', phone: '+49 30 1' },
      ],
    }),
  ])
})

test('a file with none of the columns is refused with their names', async () => {
  await expect(readFile('woocommerce-orders', 'a,b\n1,2\n')).rejects.toThrow(/order_id, order_number/)
})

test('a file in another encoding than UTF-8 is refused', async () => {
  const content = Buffer.from(
    csvOf([{ ID: '1', Type: 'simple', Name: 'Käse', 'Regular price': '9' }]),
    'latin1',
  )
  await expect(readFile('woocommerce-products', content)).rejects.toThrow('The file is not UTF-8')
})

test('a row has its line of the file, past variations and line breaks in cells', async () => {
  const product = { ID: '', Type: 'simple', SKU: '', Name: 'Mug', Description: '', 'Regular price': '9' }
  const content = csvOf([
    { ...product, ID: '1', Type: 'variable', Description: 'Two\nlines' },
    { ...product, ID: '2', Type: 'variation', Parent: 'id:1' },
    { ...product, ID: '3' },
  ])
  const rows = await readPlaced('woocommerce-products', content)
  expect(rows.map(({ line, row }) => [line, row['externalId']])).toEqual([
    [3, '1'],
    [5, '3'],
  ])
})
