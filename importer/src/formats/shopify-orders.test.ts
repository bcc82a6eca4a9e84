import { expect, test } from 'vitest'
import { isoTime, minorUnits } from './amounts.ts'
import { csvOf, readFile } from './testing/read-file.ts'

const read = (rows: readonly Readonly<Record<string, string>>[]) => readFile('shopify-orders', csvOf(rows))

const order = {
  Name: '#1001',
  Email: 'ann@example.com',
  'Financial Status': 'partially_refunded',
  'Paid at': '2015-03-01 10:00:00 -0500',
  'Fulfillment Status': 'fulfilled',
  'Fulfilled at': '2015-03-02 09:00:00 -0500',
  Currency: 'USD',
  Subtotal: '26.98',
  Shipping: '5.00',
  Taxes: '2.16',
  Total: '34.14',
  'Discount Code': 'TEN',
  'Discount Amount': '3.00',
  'Created at': '2015-03-01 09:59:58 -0500',
  'Lineitem quantity': '2',
  'Lineitem name': 'Tee - M',
  'Lineitem price': '9.99',
  'Lineitem sku': 'TEE-M',
  'Refunded Amount': '9.99',
  'Payment Method': 'Shopify Payments',
  'Shipping Name': 'Bo',
  'Shipping Company': 'Bo & Co',
  'Shipping Address1': '1 Road',
  'Shipping City': 'Reims',
  'Shipping Zip': "'51100",
  'Shipping Country': 'FR',
}

test('an order over several rows has its lines, its payment, its refund and its shipment', async () => {
  const more = {
    Name: '#1001',
    Email: 'ann@example.com',
    'Lineitem quantity': '1',
    'Lineitem name': 'Gift',
    'Lineitem price': '10.00',
  }
  expect(await read([order, more])).toEqual([
    {
      type: 'order',
      orderNumber: '#1001',
      placedAt: '2015-03-01T09:59:58-05:00',
      currency: 'USD',
      customer: { email: 'ann@example.com' },
      shippingAddress: {
        recipientName: 'Bo',
        company: 'Bo & Co',
        line1: '1 Road',
        city: 'Reims',
        postalCode: '51100',
        country: 'FR',
      },
      lines: [
        { sku: 'TEE-M', name: 'Tee - M', quantity: 2, price: 999 },
        { name: 'Gift', quantity: 1, price: 1000 },
      ],
      shipping: 500,
      shippingDiscount: 0,
      discount: 300,
      tax: 216,
      total: 3414,
      couponCode: 'TEN',
      paidAt: '2015-03-01T10:00:00-05:00',
      payments: [{ amount: 3414, paidAt: '2015-03-01T10:00:00-05:00', reference: 'Shopify Payments' }],
      refunds: [{ amount: 999, refundedAt: '2015-03-01T10:00:00-05:00' }],
      shipments: [{ shippedAt: '2015-03-02T09:00:00-05:00' }],
    },
  ])
})

test.each([
  [
    'prices that include their tax',
    { Subtotal: '19.98', Shipping: '5.00', Taxes: '3.99', Total: '24.98', 'Discount Amount': '0.00' },
    { tax: 0, discount: 0, shippingDiscount: 0 },
  ],
  [
    'free shipping by a code',
    { Subtotal: '19.98', Shipping: '5.00', Taxes: '0.00', Total: '19.98', 'Discount Amount': '5.00' },
    { tax: 0, discount: 0, shippingDiscount: 500 },
  ],
  [
    'a tip',
    { Subtotal: '19.98', Shipping: '0.00', Taxes: '0.00', Total: '21.98', 'Discount Amount': '0.00' },
    {
      lines: [
        { sku: 'TEE-M', name: 'Tee - M', quantity: 2, price: 999 },
        { name: 'Tips, duties and other charges', quantity: 1, price: 200 },
      ],
    },
  ],
])('%s come to the total', async (_, amounts, expected) => {
  expect(await read([{ ...order, ...amounts, 'Refunded Amount': '0' }])).toMatchObject([expected])
})

test('an order without a customer, cancelled, unpaid, has none of what never was', async () => {
  const [row] = await read([
    {
      ...order,
      Email: '',
      'Financial Status': 'voided',
      'Fulfillment Status': 'unfulfilled',
      'Refunded Amount': '0',
      'Paid at': '',
      'Cancelled at': '2015-03-03 00:00:00 UTC',
    },
  ])
  expect(row).toMatchObject({ cancelledAt: '2015-03-03T00:00:00Z' })
  for (const field of ['customer', 'payments', 'paidAt', 'refunds', 'shipments'])
    expect(row).not.toHaveProperty(field)
})

test.each([
  ['nothing was paid', { 'Financial Status': 'pending', 'Paid at': '' }],
  [
    'a part was paid',
    { 'Financial Status': 'partially_paid', 'Paid at': '', 'Outstanding Balance': '14.14' },
  ],
])('goods that were sent before the money came wait for it, if %s', async (_, fields) => {
  const sent = { ...order, ...fields, 'Refunded Amount': '0' }
  const [row] = await read([sent])
  expect(row).toMatchObject({ status: 'PENDING', shipments: [{}] })
  expect(row).not.toHaveProperty('paidAt')
  const [paid] = await read([{ ...sent, 'Financial Status': 'paid' }])
  expect(paid).not.toHaveProperty('status')
})

test('amounts have the digits of their currency', () => {
  expect(['12.5', '1,234.56', '', '-0.01'].map((text) => minorUnits(text, 'USD'))).toEqual([
    1250, 123_456, 0, -1,
  ])
  expect([minorUnits('1200', 'JPY'), minorUnits('1.234', 'KWD'), minorUnits('x', 'USD')]).toEqual([
    1200,
    1234,
    Number.NaN,
  ])
  expect([minorUnits('1200', 'HUF'), minorUnits('1200', 'ISK')]).toEqual([120_000, 1200])
  expect(isoTime('2023-01-05 10:00:00 -0500')).toBe('2023-01-05T10:00:00-05:00')
})

test('a comma groups thousands in an amount with a decimal point, and nothing else', () => {
  expect(
    ['1,234', '1,234,567.89', '12,50', '1.234,56', '0,500'].map((text) => minorUnits(text, 'USD')),
  ).toEqual([123_400, 123_456_789, Number.NaN, Number.NaN, Number.NaN])
})
