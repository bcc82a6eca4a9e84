// A catalog, customers and carts from outside this project are imported, ordered and paid through the public API.
// The API's answers must equal the figures that came with the data.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runImport, silentProgress } from '@commerce-graph/importer'
import { convert } from '@commerce-graph/importer/examples/dummyjson'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openEmptyShop } from './support/empty-shop.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { readAllPages } from './support/pages.ts'
import { payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const data = path.resolve(import.meta.dirname, '../../shared/data')

interface Totals {
  readonly products: number
  readonly categories: number
  readonly reviews: number
  readonly outOfStock: number
  readonly sumOfPricesMinor: number
  readonly sumOfStock: number
  readonly carts: number
  readonly cartLines: number
  readonly sumOfCartsMinor: number
}

interface InputCart {
  readonly customerId: number
  readonly items: readonly { readonly productId: number; readonly quantity: number }[]
}

interface InputProduct {
  readonly id: number
  readonly sku: string
  readonly stock: number
}

interface InputCustomer {
  readonly id: number
  readonly email: string
  readonly address: Readonly<Record<'line1' | 'city' | 'state' | 'postalCode' | 'country', string>>
}

const product = z.object({
  id: z.string(),
  sku: z.string(),
  price: z.number(),
  inventory: z.object({ available: z.number(), reserved: z.number() }),
  reviews: z.object({ totalCount: z.number() }),
})

type Product = z.infer<typeof product>

const order = z.object({
  id: z.string(),
  status: z.string(),
  subtotal: z.number(),
  tax: z.number(),
  shipping: z.number(),
  discount: z.number(),
  total: z.number(),
  itemCount: z.number(),
  items: z.array(
    z.object({
      quantity: z.number(),
      price: z.number(),
      subtotal: z.number(),
      product: z.object({ sku: z.string() }),
    }),
  ),
  customer: z.object({ email: z.string() }),
  payment: z.object({ status: z.string(), amount: z.number() }).nullable(),
})

const category = z.object({ productCount: z.number() })
const customer = z.object({ id: z.string(), email: z.string() })

interface Payload {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

const read = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(path.join(data, name), 'utf8')) as T

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

describe.skipIf(!existsSync(data))(
  `a real catalog, its customers and their carts${existsSync(data) ? '' : ` (skipped: ${data} is not there)`}`,
  () => {
    let platform: TestPlatform
    let client: Client
    let folder: string
    let totals: Totals
    let inputProducts: readonly InputProduct[]

    const products = () =>
      readAllPages(
        client,
        'products',
        'id sku price inventory { available reserved } reviews(first: 1) { totalCount }',
        product,
      )

    beforeAll(async () => {
      platform = await startTestPlatform()
      const { key } = await openEmptyShop(platform.databaseUrl)
      client = createClient(platform.graphqlUrl, bearer(key))
      folder = await mkdtemp(path.join(tmpdir(), 'real-input-'))
      totals = await read('totals.json')
      inputProducts = await read('products.json')
      const files: string[] = []
      for (const name of ['products.json', 'customers.json']) {
        const rows = convert(await readFile(path.join(data, name), 'utf8'))
        const file = path.join(folder, `${name}l`)
        await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
        files.push(file)
      }
      const summary = await runImport({
        files,
        target: { url: platform.graphqlUrl, key },
        onExisting: 'skip',
        statePath: path.join(folder, 'state.jsonl'),
        reportPath: path.join(folder, 'refused.jsonl'),
        concurrency: 4,
        progress: silentProgress,
        stopping: new AbortController().signal,
      })
      expect(summary).toMatchObject({ rows: 402, counts: { created: 402, refused: 0 }, stopped: undefined })
    }, 180_000)

    afterAll(async () => {
      await platform.stop()
      await rm(folder, { recursive: true, force: true })
    })

    test('is imported without a difference in cents, units or reviews', async () => {
      const { totalCount, nodes } = await products()
      const categories = await readAllPages(client, 'categories', 'productCount', category)
      const customers = await readAllPages(client, 'customers', 'id email', customer)
      expect({
        products: totalCount,
        categories: categories.totalCount,
        reviews: sum(nodes.map(({ reviews }) => reviews.totalCount)),
        outOfStock: nodes.filter(({ inventory }) => inventory.available === 0).length,
        sumOfPricesMinor: sum(nodes.map(({ price }) => price)),
        sumOfStock: sum(nodes.map(({ inventory }) => inventory.available)),
      }).toEqual({
        products: totals.products,
        categories: totals.categories,
        reviews: totals.reviews,
        outOfStock: totals.outOfStock,
        sumOfPricesMinor: totals.sumOfPricesMinor,
        sumOfStock: totals.sumOfStock,
      })
      expect(nodes).toHaveLength(totals.products)
      expect(new Set(nodes.map(({ sku }) => sku)).size).toBe(totals.products)
      expect(sum(categories.nodes.map(({ productCount }) => productCount))).toBe(totals.products)
      expect(customers.totalCount).toBe(customers.nodes.length)
      expect(customers.totalCount).toBe(208)
    })

    test('becomes orders: what is in stock is ordered and paid, every line beyond it is refused', async () => {
      const carts = await read<readonly InputCart[]>('carts.json')
      expect(carts).toHaveLength(totals.carts)
      expect(sum(carts.map(({ items }) => items.length))).toBe(totals.cartLines)
      const before = new Map((await products()).nodes.map((product) => [product.sku, product]))
      const prices = new Map(inputProducts.map(({ id, sku }) => [id, before.get(sku)?.price ?? 0]))
      expect(
        sum(
          carts.flatMap(({ items }) =>
            items.map((line) => line.quantity * (prices.get(line.productId) ?? 0)),
          ),
        ),
      ).toBe(totals.sumOfCartsMinor)

      const left = new Map(inputProducts.map(({ sku, stock }) => [sku, stock]))
      const refused: string[] = []
      const shopper = await shopperOf(client, before)
      for (const cart of carts) {
        const { lines, refusals } = await shopper.buy(cart)
        expect(refusals).toEqual(expectedRefusals(lines, left))
        refused.push(...refusals.filter((message) => message !== null))
      }
      expect(refused.length).toBeGreaterThan(0)

      const orders = await readAllPages(
        client,
        'orders',
        `id status subtotal tax shipping discount total itemCount customer { email } payment { status amount }
       items { quantity price subtotal product { sku } }`,
        order,
      )
      expect(orders.totalCount).toBe(orders.nodes.length)
      expect(new Set(orders.nodes.map(({ customer }) => customer.email)).size).toBe(orders.totalCount)
      const ordered = new Map<string, number>()
      for (const placed of orders.nodes) {
        expect(placed).toMatchObject({
          status: 'CONFIRMED',
          payment: { status: 'SUCCEEDED', amount: placed.total },
        })
        expect(sum(placed.items.map(({ subtotal }) => subtotal))).toBe(placed.subtotal)
        for (const { price, quantity, subtotal } of placed.items) expect(subtotal).toBe(price * quantity)
        expect(placed.subtotal + placed.tax + placed.shipping - placed.discount).toBe(placed.total)
        expect(sum(placed.items.map(({ quantity }) => quantity))).toBe(placed.itemCount)
        for (const { quantity, product } of placed.items) {
          ordered.set(product.sku, (ordered.get(product.sku) ?? 0) + quantity)
        }
      }

      const after = (await products()).nodes
      for (const { sku, stock } of inputProducts) {
        const now = after.find((product) => product.sku === sku)
        expect({ sku, available: now?.inventory.available, reserved: now?.inventory.reserved }).toEqual({
          sku,
          available: stock - (ordered.get(sku) ?? 0),
          reserved: ordered.get(sku) ?? 0,
        })
        expect(now?.inventory.available).toBe(left.get(sku))
      }
    }, 300_000)

    interface Line {
      readonly sku: string
      readonly productId: string
      readonly quantity: number
    }

    /** The expected refusal of each line, calculated from the input. Subtracts the bought units from `left`. */
    function expectedRefusals(lines: readonly Line[], left: Map<string, number>): (string | null)[] {
      const inCart = new Map<string, number>()
      const expected = lines.map(({ sku, quantity }) => {
        const available = left.get(sku) ?? 0
        const requested = (inCart.get(sku) ?? 0) + quantity
        if (requested > available)
          return `Insufficient inventory. Available: ${available}, Requested: ${requested}`
        inCart.set(sku, requested)
        return null
      })
      for (const [sku, quantity] of inCart) left.set(sku, (left.get(sku) ?? 0) - quantity)
      return expected
    }

    /** Buys like a shop's front end: a cart, its lines, checkout, payment. */
    async function shopperOf(api: Client, bySku: ReadonlyMap<string, Product>) {
      const customers = await read<readonly InputCustomer[]>('customers.json')
      const nodes = (await readAllPages(api, 'customers', 'id email', customer)).nodes
      const customerIds = new Map(nodes.map(({ id, email }) => [email, id]))
      const skus = new Map(inputProducts.map(({ id, sku }) => [id, sku]))

      function linesOf({ items }: InputCart): Line[] {
        return items.map(({ productId, quantity }) => {
          const sku = skus.get(productId) ?? ''
          return { sku, productId: bySku.get(sku)?.id ?? '', quantity }
        })
      }

      /** Adds all lines with one document: a refused line does not affect the others. */
      async function fillCart(cartId: string, lines: readonly Line[]): Promise<(string | null)[]> {
        const fields = lines.map(
          (_, index) =>
            `l${index}: addCartItem(cartId: $cartId, item: $item${index}) { errors { field message } }`,
        )
        const declared = lines.map((_, index) => `$item${index}: CartItemInput!`)
        const items = lines.map(
          ({ productId, quantity }, index) => [`item${index}`, { productId, quantity }] as const,
        )
        const answer = await api<Readonly<Record<string, Payload | null>>>(
          `mutation ($cartId: ID!, ${declared.join(', ')}) { ${fields.join('\n')} }`,
          { cartId, ...Object.fromEntries(items) },
        )
        return lines.map((_, index) => {
          const error = answer.errors.find(({ path: at }) => at?.[0] === `l${index}`)
          if (error === undefined) {
            expect(answer.data?.[`l${index}`]?.errors).toEqual([])
            return null
          }
          expect(error.extensions).toMatchObject({ id: 'SVC_BIZ_001', statusCode: 400 })
          return error.message
        })
      }

      async function buy(cart: InputCart) {
        const buyer = customers.find(({ id }) => id === cart.customerId)
        if (buyer === undefined) throw new Error(`no customer ${cart.customerId}`)
        const created = payload(
          await api<Record<string, Payload & { cart: { id: string } }>>(
            'mutation ($input: CreateCartInput!) { createCart(input: $input) { cart { id } errors { field message } } }',
            { input: { customerId: customerIds.get(buyer.email) } },
          ),
        )
        const lines = linesOf(cart)
        const refusals = await fillCart(created.cart.id, lines)
        if (refusals.every((message) => message !== null)) return { lines, refusals }
        const { order: placed } = payload(
          await api<Record<string, Payload & { order: { id: string } }>>(
            `mutation ($id: ID!, $input: CheckoutCartInput!) {
            checkoutCart(id: $id, input: $input) { order { id } errors { field message } }
          }`,
            { id: created.cart.id, input: { shippingAddress: buyer.address } },
          ),
        )
        const { processPayment } = succeeded(
          await api<{ processPayment: Payload & { status: string } }>(
            'mutation ($input: PaymentInput!) { processPayment(input: $input) { status errors { field message } } }',
            { input: { orderId: placed.id, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
          ),
        )
        expect(processPayment).toEqual({ status: 'SUCCEEDED', errors: [] })
        return { lines, refusals }
      }

      return { buy }
    }
  },
)
