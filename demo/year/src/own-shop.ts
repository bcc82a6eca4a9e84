import { generateApiKey } from '@commerce-graph/auth-webhook'
import type { Faker } from '@faker-js/faker'
import type { Sql } from '@commerce-graph/postgres-driver'

/** The names by which the check finds segments whose rules it knows. */
export const segmentDescription = 'Of the demo'

const productCount = 60
const categoryCount = 8

/** Creates an empty shop with products, at the clock's time. Returns its key, which can't be read later. */
export async function openOwnShop(sql: Sql, faker: Faker, merchantId: string): Promise<string> {
  const [{ place }] = await sql<[{ place: string }]>`SELECT platform.place() AS place`
  const { key, hash, prefix } = generateApiKey('live', place)
  await sql`
    INSERT INTO merchant.merchant (id, name, email) VALUES (${merchantId}, ${`${faker.company.name()} (demo)`}, 'shop@demo.example')`
  await sql`
    UPDATE merchant.subscription
    SET plan = 'ENTERPRISE', current_period_start = pg_catalog.now(), current_period_end = pg_catalog.now() + interval '1 month',
      periods_since = pg_catalog.now()
    WHERE merchant_id = ${merchantId}`
  await sql`
    UPDATE merchant.settings SET timezone = 'America/Los_Angeles', tax_rate = 0.0825 WHERE merchant_id = ${merchantId}`
  await sql`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
      SELECT ${merchantId}, 'Demo', 'live', ${prefix}, array_agg(name) FROM merchant.permission
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key`
  await sql`
    WITH zone AS (
      INSERT INTO merchant.shipping_zone (merchant_id, name) VALUES (${merchantId}, 'Everywhere') RETURNING merchant_id, id
    )
    INSERT INTO merchant.shipping_method (merchant_id, shipping_zone_id, name, price)
    SELECT zone.merchant_id, zone.id, m.name, m.price FROM zone, (VALUES ('Standard', 595), ('Express', 1495)) AS m (name, price)`
  await sql`
    INSERT INTO inventory.warehouse (merchant_id, name, code, priority)
    VALUES (${merchantId}, 'West', 'WEST', 0), (${merchantId}, 'East', 'EAST', 1)`
  await openCatalog(sql, faker, merchantId)
  await openPromotions(sql, merchantId)
  await openWorkshop(sql, merchantId)
  return key
}

async function openCatalog(sql: Sql, faker: Faker, merchantId: string): Promise<void> {
  const departments = faker.helpers.uniqueArray(() => faker.commerce.department(), categoryCount)
  const categories = departments.map((name) => ({ merchant_id: merchantId, id: faker.string.uuid(), name }))
  const products = Array.from({ length: productCount }, (_, index) => ({
    merchant_id: merchantId,
    id: faker.string.uuid(),
    name: faker.commerce.productName(),
    description: faker.commerce.productDescription(),
    sku: `DEMO-${String(index + 1).padStart(3, '0')}`,
    price: faker.number.int({ min: 5, max: 250 }) * 100 - 5,
    currency: 'USD',
    status: 'ACTIVE',
  }))
  await sql`INSERT INTO catalog.category ${sql(categories)}`
  await sql`INSERT INTO catalog.product ${sql(products)}`
  const placed = products.map(({ id }, index) => ({
    merchant_id: merchantId,
    product_id: id,
    category_id: categories[index % categories.length]?.id ?? null,
  }))
  await sql`INSERT INTO catalog.product_category ${sql(placed)}`
}

async function openPromotions(sql: Sql, merchantId: string): Promise<void> {
  await sql`
    INSERT INTO promotion.promotion
      (merchant_id, name, code, discount_type, discount_value, start_date, end_date, first_order_only, min_purchase_amount)
    VALUES
      (${merchantId}, 'Welcome', 'WELCOME', 'PERCENTAGE', 10, now(), now() + interval '5 years', true, NULL),
      (${merchantId}, 'A season', 'SEASON', 'PERCENTAGE', 15, now(), now() + interval '5 years', false, 5000),
      (${merchantId}, 'On us', 'FREESHIP', 'FREE_SHIPPING', 0, now(), now() + interval '5 years', false, 2500)`
  await sql`
    UPDATE crm.loyalty_program SET enabled = true, earn_points = 1, earn_amount = 100 WHERE merchant_id = ${merchantId}`
  await sql`
    INSERT INTO crm.loyalty_tier (merchant_id, name, threshold)
    VALUES (${merchantId}, 'Member', 0), (${merchantId}, 'Silver', 500), (${merchantId}, 'Gold', 1500)`
  await sql`
    INSERT INTO crm.loyalty_reward (merchant_id, name, points, discount_amount)
    VALUES (${merchantId}, 'Five dollars off', 150, 500)`
  await sql`
    INSERT INTO crm.segment (merchant_id, name, description, order_count_min, total_spent_min)
    VALUES
      (${merchantId}, 'Regulars', ${segmentDescription}, 3, NULL),
      (${merchantId}, 'Big spenders', ${segmentDescription}, NULL, 50000)`
}

async function openWorkshop(sql: Sql, merchantId: string): Promise<void> {
  await sql`
    WITH service AS (
      INSERT INTO booking.service (merchant_id, name, duration, price, currency)
      VALUES (${merchantId}, 'Consultation', 30, 0, 'USD'), (${merchantId}, 'Repair', 60, 4500, 'USD')
      RETURNING merchant_id, id
    ),
    staff AS (
      INSERT INTO booking.staff_member (merchant_id, name, email)
      VALUES (${merchantId}, 'Robin', 'robin@demo.example'), (${merchantId}, 'Kim', 'kim@demo.example')
      RETURNING merchant_id, id
    ),
    offered AS (
      INSERT INTO booking.staff_service (merchant_id, staff_id, service_id)
      SELECT staff.merchant_id, staff.id, service.id FROM staff, service
    )
    INSERT INTO booking.schedule (merchant_id, staff_id, type, weekday, start_time, end_time)
    SELECT staff.merchant_id, staff.id, 'WEEKLY', d, '09:00', '18:00'
    FROM staff, unnest('{MONDAY,TUESDAY,WEDNESDAY,THURSDAY,FRIDAY,SATURDAY}'::text[]) AS d`
}
