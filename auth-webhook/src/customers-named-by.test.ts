import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMerchant, createMerchantDatabase, type MerchantDatabase } from '../test/merchant-database.ts'
import { customersNamedBy } from './customers-named-by.ts'

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

let database: MerchantDatabase
beforeAll(async () => {
  database = await createMerchantDatabase()
})
afterAll(() => database.close())

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

test('a token of another issuer is looked up by the id and the address, and not among all customers of the merchant', async () => {
  const { sql } = database
  const merchantId = await createMerchant(sql)
  await sql`
    INSERT INTO crm.customer (merchant_id, email, name)
    SELECT ${merchantId}, format('shopper-%s@example.com', n), 'A shopper' FROM generate_series(1, 2000) AS n`
  await sql`ANALYZE crm.customer`
  const subjects = ['their|1', '01a1f000-0000-7000-8000-0000000000aa']
  for (const sub of subjects) {
    const named = customersNamedBy(sql, merchantId, {
      sub,
      email: 'shopper-7@example.com',
      email_verified: true,
      exp: 0,
    })
    const [row] = await sql<[{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }]>`
      EXPLAIN (FORMAT JSON) ${named}`
    const conditions = nodesOf(row['QUERY PLAN'][0].Plan)
      .filter((node) => node['Relation Name'] === 'customer')
      .map((node) => node['Index Cond'])
    expect(conditions.length).toBeGreaterThan(0)
    for (const condition of conditions) expect(condition).toMatch(/\b(id|email) = /)
  }
})
