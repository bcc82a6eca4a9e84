import { join } from 'node:path'
import { temporaryStorage } from '@commerce-graph/file-storage/testing'
import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import { createMigratedDatabase } from '@commerce-graph/local-postgres/testing'
import { pino } from 'pino'
import type { ActionCall } from '../action/action.ts'
import type { AnySession, Session } from '../action/session.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Answer } from '../action/answer.ts'
import { connectDatabase, type Database } from '../database.ts'
import { openPaymentAccounts } from '../payment/index.ts'
import { createStripeProcessor, type PaymentProcessor } from '../processors/index.ts'
import { startSandbox } from '../processors/sandbox/index.ts'
import { actionsByDomain } from '../start-actions.ts'
import { holdAnswersToDeclarations } from './declared-answers.ts'

export const migrationsFolder = join(import.meta.dirname, '../../../migrations/default')
export const silent = pino({ level: 'silent' })

export const address = {
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  country: 'US',
}

/** All permissions of keys. */
const allPermissions = new Set(
  [
    'inventory',
    'carts',
    'orders',
    'payments',
    'customers',
    'customer_sessions',
    'api_keys',
    'products',
    'booking',
    'files',
    'email',
    'notifications',
    'users',
    'roles',
    'merchant',
    'imports',
    'webhooks',
    'exports',
    'audit',
  ].flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
)

export interface TestMerchant {
  readonly merchantId: MerchantId
  readonly customerId: CustomerId
  /** By priority. */
  readonly warehouseIds: readonly string[]
}

export interface TestProduct {
  readonly id: string
  readonly sku: string
  readonly price: number
}

export interface CallOptions {
  readonly session?: AnySession
  readonly idempotencyKey?: string
}

holdAnswersToDeclarations()

const poolSize = 10

/**
 * Opens every connection of the pool, so that concurrent calls really overlap. If connections opened one after the
 * other, each call would end before the next begins, with or without a lock.
 */
async function openConnections(database: Database): Promise<void> {
  // The first one asks for the types of arrays, for all of them.
  await database`SELECT`
  await Promise.all(Array.from({ length: poolSize }, () => database`SELECT pg_sleep(0.05)`))
}

export interface TestShopOptions {
  /** Milliseconds that the client of the sandbox waits for an answer; seconds unless said. */
  readonly processorTimeout?: number
  /** Whether the sandbox's banks decide by themselves, a second after they were asked; true unless said. */
  readonly banksDecide?: boolean
}

/** A database with all migrations, the sandbox processor beside it, and every action ready to be called. */
export async function openTestShop({ processorTimeout, banksDecide = true }: TestShopOptions = {}) {
  const { url: databaseUrl, drop } = await createMigratedDatabase({ migrations: migrationsFolder })
  const database = connectDatabase({ databaseUrl, poolSize, applicationName: 'test' })
  await openConnections(database)
  const sandbox = await startSandbox({ port: 0, databaseUrl, banksDecide })
  const cardProcessor: PaymentProcessor = createStripeProcessor({
    name: 'sandbox',
    secretKey: 'sk_test_sandbox',
    apiUrl: sandbox.url,
    timeout: processorTimeout,
  })
  const encryptionKeys = [newEncryptionKey()]
  const secretBox = createSecretBox(encryptionKeys)
  const tokenIssuer = createTokenIssuer({ databaseUrl, secretBox })
  const endpoints = { sandbox: sandbox.url }
  const { storage: files, remove: removeFiles } = temporaryStorage()
  const domains = actionsByDomain({ cardProcessor, endpoints, files }, { database, tokenIssuer, secretBox })
  const actions = Object.assign({}, ...Object.values(domains)) as Record<
    string,
    (typeof domains)[string][string]
  >
  const shop = {
    databaseUrl,
    database,
    sandboxUrl: sandbox.url,
    accounts: openPaymentAccounts({ database, secretBox, endpoints }),
    cardProcessor,
    encryptionKeys,
    secretBox,
    files,
    domains,
    call(merchant: TestMerchant, name: string, input: object, options: CallOptions = {}): Promise<Answer> {
      const action = actions[name]
      if (action === undefined) throw new Error(`There is no action ${name}.`)
      const call: ActionCall<AnySession> = {
        action: name,
        session: options.session ?? staff(merchant),
        input,
        idempotencyKey:
          options.idempotencyKey === undefined
            ? null
            : { value: options.idempotencyKey, part: '', replayed: false },
        origin: null,
      }
      return action.run(call)
    },
    createMerchant: () => createMerchant(database),
    createProduct: (merchant: TestMerchant, product: NewProduct) =>
      createProduct(database, merchant, product),
    createPromotion: (merchant: TestMerchant, promotion: NewPromotion = {}) =>
      createPromotion(database, merchant, promotion),
    async close() {
      await sandbox.stop()
      await tokenIssuer.close()
      await database.end({ timeout: 5 })
      await drop()
      await removeFiles()
    },
  }
  return shop
}

export type TestShop = Awaited<ReturnType<typeof openTestShop>>

export const staff = ({ merchantId }: TestMerchant): Session => ({
  role: 'merchant',
  merchantId,
  keyId: '01a1f000-00ff-7000-8000-000000000001',
  permissions: allPermissions,
})

export const shopper = ({ merchantId }: TestMerchant, customerId: CustomerId): Session => ({
  role: 'customer',
  merchantId,
  customerId,
  permissions: allPermissions,
})

async function createMerchant(database: Database): Promise<TestMerchant> {
  const [merchant] = await database<{ id: MerchantId }[]>`
    INSERT INTO merchant.merchant (name, email) VALUES ('Test', 'test@example.com') RETURNING id`
  const merchantId = found(merchant).id
  // The free plan has one warehouse and no allow-list.
  await database`UPDATE merchant.subscription SET plan = 'PRO' WHERE merchant_id = ${merchantId}`
  await database`UPDATE merchant.settings SET tax_rate = 0.0825 WHERE merchant_id = ${merchantId}`
  const warehouses = await database<{ id: string }[]>`
    INSERT INTO inventory.warehouse (merchant_id, name, code, priority)
    VALUES (${merchantId}, 'East', 'E', 1), (${merchantId}, 'West', 'W', 2)
    RETURNING id`
  const customerId = await createCustomer(database, merchantId)
  return { merchantId, customerId, warehouseIds: warehouses.map(({ id }) => id) }
}

let customers = 0

export async function createCustomer(database: Database, merchantId: MerchantId): Promise<CustomerId> {
  customers += 1
  const [customer] = await database<{ id: CustomerId }[]>`
    INSERT INTO crm.customer (merchant_id, email, name)
    VALUES (${merchantId}, ${`customer${customers}@example.com`}, 'Ada')
    RETURNING id`
  return found(customer).id
}

interface NewProduct {
  readonly price?: number
  /** By warehouse. */
  readonly stock?: readonly number[]
  readonly status?: string
  readonly currency?: string
}

let products = 0

async function createProduct(
  database: Database,
  { merchantId, warehouseIds }: TestMerchant,
  { price = 1000, stock = [], status = 'ACTIVE', currency = 'USD' }: NewProduct,
): Promise<TestProduct> {
  products += 1
  const sku = `SKU-${products}`
  const [product] = await database<{ id: string }[]>`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status)
    VALUES (${merchantId}, ${`Product ${products}`}, ${sku}, ${price}, ${currency}, ${status})
    RETURNING id`
  for (const [index, available] of stock.entries()) {
    await database`
      INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
      SELECT merchant_id, id, ${found(warehouseIds[index])}, ${available} FROM inventory.stock_item
      WHERE merchant_id = ${merchantId} AND sku = ${sku}`
  }
  return { id: found(product).id, sku, price }
}

export interface NewPromotion {
  /** null: the promotion applies by itself. */
  readonly code?: string | null
  readonly type?: 'PERCENTAGE' | 'FIXED_AMOUNT' | 'FREE_SHIPPING'
  readonly value?: number
  readonly [column: string]: unknown
}

let promotions = 0

/** Ten percent off everything for all customers, unless other columns are given. */
async function createPromotion(
  database: Database,
  { merchantId }: TestMerchant,
  { code, type = 'PERCENTAGE', value = 10, ...columns }: NewPromotion,
): Promise<{ readonly id: string; readonly code: string }> {
  promotions += 1
  const row = {
    merchant_id: merchantId,
    name: `Promotion ${promotions}`,
    code: code === undefined ? `CODE-${promotions}` : code,
    discount_type: type,
    discount_value: value,
    start_date: new Date(Date.now() - 86_400_000),
    end_date: new Date(Date.now() + 86_400_000),
    ...columns,
  }
  const [promotion] = await database<{ id: string; code: string }[]>`
    INSERT INTO promotion.promotion ${database(row)} RETURNING id, code`
  return found(promotion)
}

/** @returns the method's id */
export async function createShippingMethod(
  database: Database,
  { merchantId }: TestMerchant,
  price: number,
): Promise<string> {
  const [method] = await database<{ id: string }[]>`
    WITH zone AS (
      INSERT INTO merchant.shipping_zone (merchant_id, name) VALUES (${merchantId}, 'Everywhere') RETURNING merchant_id, id
    )
    INSERT INTO merchant.shipping_method (merchant_id, shipping_zone_id, name, price)
    SELECT merchant_id, id, 'Parcel', ${price} FROM zone RETURNING id`
  return found(method).id
}

export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The test expected a row.')
  return value
}

/** The data of a successful answer; throws for any other. */
export function dataOf(answer: Answer): Readonly<Record<string, unknown>> {
  if (answer.kind !== 'done') throw new Error(`Expected a success, got ${JSON.stringify(answer)}`)
  return answer.data
}
