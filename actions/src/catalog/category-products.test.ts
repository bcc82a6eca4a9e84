import postgres from '@commerce-graph/postgres-driver'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

type Step =
  | { readonly kind: 'link' | 'unlink'; readonly product: number; readonly category: number }
  | { readonly kind: 'move'; readonly category: number; readonly under: number | null }
  | { readonly kind: 'delete'; readonly category: number }

const category = fc.nat(5)
const product = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('link' as const, 'unlink' as const), product, category }),
  fc.record({ kind: fc.constant('move' as const), category, under: fc.option(category) }),
  fc.record({ kind: fc.constant('delete' as const), category }),
)

/**
 * Refused steps (a cycle, a deleted category, or one with children) change nothing. Two moves in one tree may lock
 * each other's categories: Postgres aborts one, which is sent again, as the engine does.
 */
async function take(merchant: TestMerchant, each: Step, attempts = 5): Promise<void> {
  try {
    await attempt(shop.database, merchant, each)
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    if (error.code === '40P01' && attempts > 1) return take(merchant, each, attempts - 1)
    if (!error.code.startsWith('23')) throw error
  }
}

async function attempt(database: Database, { merchantId }: TestMerchant, each: Step): Promise<void> {
  const categoryId = (number: number) =>
    database`(SELECT id FROM catalog.category WHERE merchant_id = ${merchantId} AND name = ${`C${number}`})`
  switch (each.kind) {
    case 'link':
      await database`
        INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
        SELECT p.merchant_id, p.id, c.id FROM catalog.product p, catalog.category c
        WHERE p.merchant_id = ${merchantId} AND c.merchant_id = ${merchantId}
          AND p.name = ${`P${each.product}`} AND c.name = ${`C${each.category}`}
        ON CONFLICT DO NOTHING`
      break
    case 'unlink':
      await database`
        DELETE FROM catalog.product_category l USING catalog.product p
        WHERE l.merchant_id = ${merchantId} AND p.merchant_id = ${merchantId} AND p.id = l.product_id
          AND p.name = ${`P${each.product}`} AND l.category_id = ${categoryId(each.category)}`
      break
    case 'move':
      await database`
        UPDATE catalog.category SET parent_id = ${each.under === null ? null : categoryId(each.under)}
        WHERE merchant_id = ${merchantId} AND name = ${`C${each.category}`}`
      break
    case 'delete':
      await database`
        DELETE FROM catalog.category WHERE merchant_id = ${merchantId} AND name = ${`C${each.category}`}`
      break
    default:
      each satisfies never
  }
}

async function openShopOfCategories(): Promise<TestMerchant> {
  const merchant = await shop.createMerchant()
  const { merchantId } = merchant
  await shop.database`
    INSERT INTO catalog.category (merchant_id, name) SELECT ${merchantId}, 'C' || n FROM generate_series(0, 5) n`
  await shop.database`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency)
    SELECT ${merchantId}, 'P' || n, 'P' || n, 100, 'USD' FROM generate_series(0, 3) n`
  return merchant
}

/** The tree has no cycle, and each category's level is its parent's plus one. */
async function expectTree({ merchantId }: TestMerchant): Promise<void> {
  const wrong = await shop.database`
    WITH RECURSIVE reached AS (
      SELECT c.id, 0 AS level FROM catalog.category c WHERE c.merchant_id = ${merchantId} AND c.parent_id IS NULL
      UNION ALL
      SELECT c.id, r.level + 1 FROM reached r
      JOIN catalog.category c ON c.merchant_id = ${merchantId} AND c.parent_id = r.id
    )
    SELECT c.name, c.level, r.level AS expected FROM catalog.category c LEFT JOIN reached r USING (id)
    WHERE c.merchant_id = ${merchantId} AND r.level IS DISTINCT FROM c.level`
  expect(wrong).toEqual([])
}

/** Compares the listed products with the links and the tree. */
async function expectListsToAgree({ merchantId }: TestMerchant): Promise<void> {
  const wrong = await shop.database`
    WITH RECURSIVE above AS (
      SELECT l.product_id, l.category_id FROM catalog.product_category l WHERE l.merchant_id = ${merchantId}
      UNION
      SELECT a.product_id, c.parent_id FROM above a
      JOIN catalog.category c ON c.merchant_id = ${merchantId} AND c.id = a.category_id WHERE c.parent_id IS NOT NULL
    ), listed AS (
      SELECT x.product_id, x.category_id FROM catalog.category_product x WHERE x.merchant_id = ${merchantId}
    )
    (SELECT 'missing' AS what, * FROM (TABLE above EXCEPT TABLE listed) m)
    UNION ALL
    (SELECT 'too many', * FROM (TABLE listed EXCEPT TABLE above) t)`
  expect(wrong).toEqual([])
}

test(
  'a category lists its own and its descendants’ products after any links, moves and deletions',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const merchant = await openShopOfCategories()
        for (const each of steps) await take(merchant, each)
        await expectListsToAgree(merchant)
      }),
      { numRuns: 25 },
    )
  },
)

test('a category lists the same when these changes are concurrent', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 10 }), async (steps) => {
      const merchant = await openShopOfCategories()
      await Promise.all(steps.map((each) => take(merchant, each)))
      await expectTree(merchant)
      await expectListsToAgree(merchant)
    }),
    { numRuns: 25 },
  )
})
