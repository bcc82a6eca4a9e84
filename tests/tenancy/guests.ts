import { generatePublishableKey, newCartSecret } from '@commerce-graph/auth-webhook'
import type postgres from '@commerce-graph/postgres-driver'
import { bearer } from '../support/graphql-client.ts'

/** The origin of the matrix's publishable key. */
const storefront = 'https://shop.example'

/** The headers of a caller. A guest's two credentials are one text: the publishable key and the secret of its cart. */
export function headersOf(credential: string): Readonly<Record<string, string>> {
  const [key = '', cartSecret] = credential.split(' ')
  return cartSecret === undefined
    ? bearer(key)
    : { ...bearer(key), origin: storefront, 'x-cart-secret': cartSecret }
}

/** Two guests of one storefront, each with a cart that has a row in every table of carts. */
export async function twoGuests(sql: postgres.Sql, merchantId: string): Promise<readonly [string, string]> {
  const { key, hash, prefix } = generatePublishableKey()
  await sql`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, kind, prefix, publishable_key, origins, permissions)
      VALUES (${merchantId}, 'Of the pages', 'PUBLISHABLE', ${prefix}, ${key}, ${[storefront]}, '{}')
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key`
  return [`${key} ${await fillCart(sql, merchantId, 0)}`, `${key} ${await fillCart(sql, merchantId, 1)}`]
}

/** @param number of the guest: their carts have different promotions */
async function fillCart(sql: postgres.Sql, merchantId: string, number: number): Promise<string> {
  const { secret, hash } = newCartSecret()
  const [cart] = await sql<{ id: string }[]>`
    INSERT INTO cart.cart (merchant_id, secret_hash, currency, promotion_id, coupon_code)
    SELECT ${merchantId}, ${hash}, 'USD', p.id, p.code FROM promotion.promotion p
    WHERE p.merchant_id = ${merchantId} AND p.code IS NOT NULL ORDER BY p.id OFFSET ${number} LIMIT 1
    RETURNING id`
  if (cart === undefined) throw new Error(`there is no coupon for guest ${number}`)
  await sql`
    INSERT INTO cart.cart_address (merchant_id, cart_id, line1, city, state, postal_code, country)
    VALUES (${merchantId}, ${cart.id}, 'Private Road 1', 'Denver', 'CO', '80202', 'US')`
  await sql`
    INSERT INTO cart.cart_item (merchant_id, cart_id, product_id, variant_id, quantity)
    SELECT p.merchant_id, ${cart.id}, p.id, v.id, 1 FROM catalog.product p
    LEFT JOIN catalog.product_variant v ON v.merchant_id = p.merchant_id AND v.product_id = p.id AND v.deleted_at IS NULL
    WHERE p.merchant_id = ${merchantId} AND p.status = 'ACTIVE' AND p.deleted_at IS NULL ORDER BY p.id, v.id LIMIT 1`
  return secret
}
