const startOfHistory = Date.UTC(2015, 0, 1)
const minute = 60_000

/** How many products and customers the orders are of: old shops sell the same things, and most customers come back. */
const soldProducts = 5_000
const customersPerOrder = 0.4

/** A number that looks drawn, and is the same in every run. */
const drawn = (n: number, salt: number): number => Math.imul(n + salt * 7919, 2_654_435_761) >>> 8

/**
 * An order with one to five lines, of which one in ten is paid in part, one in fifteen refunded in part and one in forty
 * cancelled. Half of the SKUs are products that the shop doesn't have.
 */
export function orderRow(n: number, orders: number): object {
  const placed = startOfHistory + n * 37 * minute
  const lines = Array.from({ length: 1 + (drawn(n, 1) % 5) }, (_, line) => {
    const product = drawn(n * 5 + line, 2) % soldProducts
    return {
      sku: `HISTORY-${product}`,
      name: `Thing ${product} of then`,
      quantity: 1 + (drawn(n, 3 + line) % 3),
      price: 500 + (product % 9000),
      ...(line % 3 === 2 && { discount: 100 }),
    }
  })
  const goods = lines.reduce((sum, { price, quantity, discount = 0 }) => sum + price * quantity - discount, 0)
  const [shipping, tax] = [590, Math.floor(goods / 12)]
  const total = goods + shipping + tax
  const customer = drawn(n, 8) % Math.max(1, Math.floor(orders * customersPerOrder))
  const address = {
    line1: `${1 + (customer % 200)} Old Road`,
    city: 'Salem',
    state: 'OR',
    postalCode: '97301',
    country: 'US',
  }
  const isCancelled = n % 40 === 7
  return {
    type: 'order',
    orderNumber: `H-${n}`,
    placedAt: new Date(placed).toISOString(),
    currency: 'USD',
    ...(n % 25 !== 3 && { customer: { email: `buyer-${customer}@example.com`, name: `Buyer ${customer}` } }),
    shippingAddress: { recipientName: `Buyer ${customer}`, ...address },
    lines,
    shipping,
    tax,
    total,
    ...(isCancelled
      ? { cancelledAt: new Date(placed + 60 * minute).toISOString(), cancelReason: 'Out of stock' }
      : {
          payments:
            n % 10 === 4
              ? [
                  { amount: Math.floor(total / 2), reference: `pay-${n}-1` },
                  { amount: total - Math.floor(total / 2), reference: `pay-${n}-2` },
                ]
              : [{ amount: total, reference: `pay-${n}` }],
          shipments: [
            {
              shippedAt: new Date(placed + 1440 * minute).toISOString(),
              carrier: 'UPS',
              trackingNumber: `1Z${n}`,
            },
          ],
          ...(n % 15 === 2 && {
            refunds: [
              {
                amount: 400,
                refundedAt: new Date(placed + 10_000 * minute).toISOString(),
                reason: 'Scratched',
              },
            ],
          }),
        }),
  }
}

/** A product with two or three variants, pictures, categories and stock. */
export function productRow(n: number): object {
  const price = 900 + (drawn(n, 1) % 20_000)
  const variants = Array.from({ length: 2 + (n % 2) }, (_, variant) => ({
    sku: `IMPORT-${n}-${variant}`,
    price: price + 100 * variant,
    options: [
      { name: 'Size', value: ['S', 'M', 'L'][variant] },
      { name: 'Color', value: ['Red', 'Blue', 'Green', 'Black'][drawn(n, 2) % 4] },
    ],
    stock: [{ available: drawn(n, 3 + variant) % 50 }],
  }))
  return {
    type: 'product',
    sku: `IMPORT-${n}`,
    name: `Model ${drawn(n, 6) % 100_000} of line ${n % 400}`,
    description: `A thing of line ${n % 400} that is made for long use. It comes in a box without plastic.`,
    price,
    currency: 'USD',
    status: 'ACTIVE',
    tags: [`line-${n % 400}`, `season-${n % 4}`],
    categories: [`Import > Department ${n % 20} > Shelf ${n % 200}`],
    images: [{ url: `https://cdn.example.com/import/${n}.jpg`, alt: `Model ${n}` }],
    variants,
  }
}
