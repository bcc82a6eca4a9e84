import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryData } from '../testing/run.ts'
import { fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const document = readFileSync(new URL('../../../docs/sync.md', import.meta.url), 'utf8')
const merchantId = fixtureId('merchant', 1, 0)

/** A query of docs/sync.md. */
function sample(name: string): string {
  const text = new RegExp(`<!-- sync:${name} -->\\s*\`\`\`graphql\n(.*?)\`\`\``, 's').exec(document)?.[1]
  if (text === undefined) throw new Error(`docs/sync.md has no sample ${name}`)
  return text
}

interface Page {
  readonly nodes: readonly Readonly<Record<string, string>>[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

async function* everyNode(text: string, list: string, since: string | undefined) {
  let after: string | null = null
  do {
    const variables = { ...(since !== undefined && { since }), after }
    const page = (await queryData(shop, keyPrincipal(1), text, variables))[list] as Page
    yield* page.nodes
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after !== null)
}

/** Milliseconds that a pass reads again of the one before it, longer than any transaction of this test. */
const overlap = 5_000

/** One pass, as the page describes it. Returns where the next one begins. */
async function pass(copy: Map<string, string>, since: string | undefined): Promise<string> {
  const begin = Date.now()
  for await (const { id = '', name = '' } of everyNode(sample('changes'), 'products', since))
    copy.set(id, name)
  for await (const { recordId = '' } of everyNode(sample('deletions'), 'deletedRecords', since))
    copy.delete(recordId)
  return new Date(begin - overlap).toISOString()
}

const shown = async () =>
  new Map(
    (
      await shop.sql(
        `SELECT id, name FROM catalog.product WHERE merchant_id = '${merchantId}' AND deleted_at IS NULL ORDER BY id`,
      )
    ).map(({ id, name }) => [String(id), String(name)]),
  )

const sorted = (copy: ReadonlyMap<string, string>) => new Map([...copy].sort())

test('passes as docs/sync.md describes them keep a copy in step with a shop that changes, deletions and late commits included', async () => {
  const copy = new Map<string, string>()
  let since = await pass(copy, undefined)
  expect(sorted(copy)).toEqual(await shown())
  const ids = [...copy.keys()]

  // It is committed after the next pass has read later changes.
  const late =
    shop.sql(`BEGIN; UPDATE catalog.product SET name = 'late' WHERE merchant_id = '${merchantId}' AND id = '${String(ids[0])}';
    SELECT pg_sleep(0.6); COMMIT`)
  const writes = (async () => {
    for (const [index, id] of ids.slice(1, 13).entries()) {
      const where = `WHERE merchant_id = '${merchantId}' AND id = '${id}'`
      if (index % 3 === 0) await shop.sql(`UPDATE catalog.product SET deleted_at = now() ${where}`)
      else await shop.sql(`UPDATE catalog.product SET name = 'changed ${index}' ${where}`)
      await shop.sql(`INSERT INTO catalog.product (merchant_id, name, sku, price, currency)
        VALUES ('${merchantId}', 'new ${index}', 'NEW-${index}', 100, 'USD')`)
      await sleep(15)
    }
  })()
  await sleep(100)
  since = await pass(copy, since)
  expect(copy.get(String(ids[0]))).not.toBe('late')
  await writes
  since = await pass(copy, since)
  await late
  await pass(copy, since)

  expect(copy.get(String(ids[0]))).toBe('late')
  expect(sorted(copy)).toEqual(await shown())
})
