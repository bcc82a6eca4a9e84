import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  await populate(merchant)
  // Everything of another merchant would be counted, too.
  await populate(await shop.createMerchant())
})
afterAll(() => shop.close())

/** Three customers and one who is anonymised; the first two live in Berlin, and the first has ordered a year ago. */
const populate = ({ merchantId }: TestMerchant) => shop.database`
  WITH former AS (
    DELETE FROM crm.customer WHERE merchant_id = ${merchantId}
  ), customer AS (
    INSERT INTO crm.customer (merchant_id, email, name, tags, marketing_opt_in, created_at, anonymized_at)
    VALUES
      (${merchantId}, 'ada@example.com', 'Ada', '{vip,guide}', TRUE, '2026-01-01Z', NULL),
      (${merchantId}, 'bea@example.com', 'Bea', '{vip}', FALSE, '2026-02-01Z', NULL),
      (${merchantId}, 'cyd@example.com', 'Cyd', '{}', TRUE, '2026-03-01Z', NULL),
      (${merchantId}, 'gone@example.com', 'Gone', '{vip}', TRUE, '2026-03-01Z', now())
    RETURNING id, name
  ), address AS (
    INSERT INTO crm.address (merchant_id, customer_id, line1, city, state, postal_code, country)
    SELECT ${merchantId}, id, '1 Main St', 'Berlin', '', '10115', 'DE' FROM customer WHERE name IN ('Ada', 'Bea')
  ), ordered AS (
    INSERT INTO ordering.order (merchant_id, order_number, customer_id, status, currency, subtotal, tax, shipping, discount,
      total, shipping_address_id, created_at)
    SELECT ${merchantId}, 'S-1', id, 'CONFIRMED', 'USD', 0, 0, 0, 0, 0, gen_random_uuid(), now() - interval '365 days'
    FROM customer WHERE name = 'Ada'
    RETURNING id, shipping_address_id
  )
  INSERT INTO ordering.order_address (merchant_id, id, order_id, line1, city, state, postal_code, country)
  SELECT ${merchantId}, shipping_address_id, id, '1 Main St', 'Berlin', '', '10115', 'DE' FROM ordered`

const preview = (filter: object | null) => shop.call(merchant, 'previewCustomerSegment', { filter })

describe('conditions without a segment count', () => {
  test.each([
    [null, 3],
    [{}, 3],
    [{ tags: ['vip'] }, 2],
    [{ tags: ['vip', 'guide'] }, 1],
    [{ marketingOptIn: true }, 2],
    [{ createdAfter: '2026-02-01T00:00:00Z' }, 2],
    [{ createdBefore: '2026-02-01T00:00:00Z' }, 1],
    [{ cities: ['BERLIN'], countries: ['DE'] }, 2],
    [{ countries: ['FR'] }, 0],
    [{ orderCountMin: 1 }, 1],
    [{ orderCountMax: 0 }, 2],
    [{ noOrderForDays: 400 }, 2],
    [{ noOrderForDays: 300 }, 3],
    [{ lastOrderWithinDays: 400, marketingOptIn: true }, 1],
  ])('the customers that meet them, %j: %i', async (filter, memberCount) => {
    expect(await preview(filter)).toMatchObject({ data: { memberCount } })
  })

  test('nothing where one is not complete, and say which', async () => {
    const refused = await preview({ tags: [], orderCountMin: -1 })
    expect(refused).toMatchObject({
      errors: [
        { field: 'filter.orderCountMin', code: 'OUT_OF_RANGE' },
        { field: 'filter.tags', code: 'OUT_OF_RANGE' },
      ],
    })
  })

  test('nothing for a loyalty tier that is not there', async () => {
    expect(await preview({ loyaltyTierIds: [crypto.randomUUID()] })).toMatchObject({
      errors: [{ field: 'filter.loyaltyTierIds', code: 'NOT_FOUND' }],
    })
  })

  test('what a segment with them has', async () => {
    await shop.database`
      INSERT INTO crm.segment (merchant_id, name, order_count_min, tags)
      VALUES (${merchant.merchantId}, 'Saved', 1, '{vip}')`
    const [saved] = await shop.database<{ count: number }[]>`
      SELECT count(*)::int FROM crm.segment_member WHERE merchant_id = ${merchant.merchantId}`
    expect(await preview({ orderCountMin: 1, tags: ['vip'] })).toMatchObject({
      data: { memberCount: saved?.count },
    })
  })
})
