import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Action, actionsByDomain, type Answer } from '@commerce-graph/actions'
import { createLocalFolder } from '@commerce-graph/file-storage'
import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import type { Sql } from '@commerce-graph/postgres-driver'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSimulatedProcessor } from './simulated-processor.ts'
import { DemoError } from './demo-error.ts'

/** A product or variant on sale. */
interface Item {
  readonly productId: string
  readonly variantId: string | null
  readonly sku: string
}

/** A shop as its staff uses it, with the actions that its keys may call. */
export interface Shop {
  readonly merchantId: string
  /** The most popular items first. */
  readonly items: readonly Item[]
  readonly shippingMethodIds: readonly string[]
  readonly rewardIds: readonly string[]
  readonly couponCodes: readonly string[]
  readonly serviceIds: readonly string[]
  call(action: string, input: object): Promise<Answer>
}

export interface OpenShop extends Shop {
  close(): Promise<void>
}

/** @param sql one connection, which the actions use, too */
export async function enterShop(sql: Sql, databaseUrl: string, merchantId: string): Promise<OpenShop> {
  const items = await sql<Item[]>`
    SELECT p.id AS "productId", v.id AS "variantId", i.sku
    FROM inventory.stock_item i
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id AND p.deleted_at IS NULL AND p.status = 'ACTIVE'
    JOIN merchant.settings s ON s.merchant_id = p.merchant_id AND s.currency = p.currency
    LEFT JOIN catalog.product_variant v ON v.merchant_id = i.merchant_id AND v.id = i.variant_id AND v.deleted_at IS NULL
    WHERE i.merchant_id = ${merchantId} AND i.sku IS NOT NULL
      AND (v.id IS NOT NULL OR i.variant_id IS NULL AND NOT EXISTS (
        SELECT FROM catalog.product_variant x
        WHERE x.merchant_id = p.merchant_id AND x.product_id = p.id AND x.deleted_at IS NULL
      ))
    ORDER BY i.sku`
  if (items.length === 0)
    throw new DemoError(`merchant ${merchantId} has no ACTIVE product in its own currency to sell`)
  const ids = async (rows: PromiseLike<readonly { readonly id: string }[]>) =>
    (await rows).map(({ id }) => id)
  // Demo calls seal no secret, sign no token and store no file, so a temporary key and an absent folder are enough.
  const secretBox = createSecretBox([newEncryptionKey()])
  const folder = join(tmpdir(), `commerce-graph-demo-${randomUUID()}`)
  const files = createLocalFolder({ folder, url: 'http://127.0.0.1/files', signer: secretBox })
  const tokenIssuer = createTokenIssuer({ databaseUrl, secretBox })
  const domains = actionsByDomain(
    { cardProcessor: createSimulatedProcessor('sandbox'), files },
    { database: sql, tokenIssuer, secretBox },
  )
  const actions: Readonly<Record<string, Action>> = Object.fromEntries(
    Object.values(domains).flatMap((domain) => Object.entries(domain)),
  )
  const permissions = new Set(
    (await sql<{ name: string }[]>`SELECT name FROM merchant.permission`).map(({ name }) => name),
  )
  const session = { role: 'merchant' as const, merchantId: merchantId as MerchantId, permissions }
  return {
    merchantId,
    items,
    shippingMethodIds: await ids(sql<{ id: string }[]>`
      SELECT m.id FROM merchant.shipping_method m
      JOIN merchant.shipping_zone z ON z.merchant_id = m.merchant_id AND z.id = m.shipping_zone_id
      WHERE m.merchant_id = ${merchantId} AND m.active AND (z.countries = '{}' OR 'US' = ANY (z.countries))
      ORDER BY m.price, m.id`),
    rewardIds: await ids(sql<{ id: string }[]>`
      SELECT id FROM crm.loyalty_reward WHERE merchant_id = ${merchantId} AND active ORDER BY points, id`),
    couponCodes: await ids(sql<{ id: string }[]>`
      SELECT code AS id FROM promotion.promotion
      WHERE merchant_id = ${merchantId} AND code IS NOT NULL AND NOT disabled AND customer_ids IS NULL
      ORDER BY code`),
    serviceIds: await ids(sql<{ id: string }[]>`
      SELECT id FROM booking.service WHERE merchant_id = ${merchantId} AND active ORDER BY name, id`),
    call(name, input) {
      const action = actions[name]
      if (action === undefined) throw new Error(`There is no action ${name}.`)
      return action.run({ action: name, session, input, idempotencyKey: null, origin: null })
    },
    close: () => tokenIssuer.close(),
  }
}
