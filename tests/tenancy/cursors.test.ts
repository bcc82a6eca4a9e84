import { randomUUID } from 'node:crypto'
import { getNamedType, type GraphQLField, isNonNullType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rootFields as expectedRootFields } from './expectations.ts'
import { rootFields } from './naming-operations.ts'
import { generateOperation } from './operation-generator.ts'
import { type Matrix, openMatrix, type Path } from './open-matrix.ts'
import { sampleValue } from './sample-value.ts'
import { canary, copyMerchantWithNewIds, tenantTables } from './tenants.ts'

type Field = GraphQLField<unknown, unknown>

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id?: string } }[]
}

/** The end of another merchant's page, in a list that both merchants have. */
interface ForeignPage {
  readonly path: Path
  readonly field: Field
  readonly cursor: string
  /** The node's id, if it has one. */
  readonly id: string | undefined
}

/**
 * A cursor names a row's place in a list, and any caller may get hold of it. The other merchant collects the cursors
 * and Relay node ids of all its lists; a key and a shopper of this merchant use them.
 */
describe('with another merchant’s cursors', { timeout: 300_000 }, () => {
  let matrix: Matrix
  let foreignPages: readonly ForeignPage[]
  let foreignRows: ReadonlySet<string>
  const stranger = randomUUID()

  beforeAll(async () => {
    matrix = await openMatrix()
    const { sql, platform, callers, permissions } = matrix
    await copyMerchantWithNewIds(sql, platform.merchantId, stranger)
    const strangersKey = await callers.newKey(permissions, { merchantId: stranger })
    foreignPages = await pagesOf(strangersKey)
    foreignRows = await idsOf(stranger)
  }, 120_000)
  afterAll(() => matrix.close())

  test('a key and a shopper see only their own rows, forwards and backwards', async () => {
    expect(foreignPages.filter(({ path }) => path === '/graphql').length).toBeGreaterThan(20)
    expect(foreignPages.filter(({ path }) => path === '/v1beta1/relay').length).toBeGreaterThan(50)
    let withRows = 0
    for (const { who, path, field, text } of await answersBeyond(foreignPages)) {
      const place = `${path} ${field.name} by ${who}`
      const shown = withCursorsRead(text)
      expect.soft(shown, place).not.toContain(canary)
      expect.soft(foreignAmong(shown), place).toEqual([])
      if (text.includes('"node":')) withRows += 1
    }
    // Without rows in the answers, the test would prove nothing.
    expect(withRows).toBeGreaterThan(50)
  })

  test('another merchant’s Relay node is not found', async () => {
    const key = await matrix.callers.key(matrix.permissions)
    // The lists of plans and permissions are the same for all merchants.
    const ids = foreignPages.flatMap(({ path, id }) =>
      path === '/v1beta1/relay' && id && withCursorsRead(JSON.stringify(id)).includes(stranger) ? [id] : [],
    )
    expect(ids.length).toBeGreaterThan(50)
    for (const id of ids) {
      const { text } = await matrix.client('/v1beta1/relay', key)(
        'query ($id: ID!) { node(id: $id) { __typename id } }',
        { id },
      )
      expect.soft(text).toBe('{"data":{"node":null}}')
    }
  })

  // This test is the last one, because it deletes the other merchant.
  test('answers are the same whether or not the rows behind the cursors still exist', async () => {
    const mine = foreignPages.filter(({ path }) => path === '/graphql')
    const before = await answersBeyond(mine)
    const tables = await tenantTables(matrix.sql)
    await matrix.sql.begin(async (sql) => {
      await sql`SET LOCAL session_replication_role = replica`
      for (const { name } of tables)
        if (!name.startsWith('audit.'))
          await sql.unsafe(`DELETE FROM ${name} WHERE merchant_id = $1`, [stranger])
    })
    const after = await answersBeyond(mine)
    const different = before.flatMap(({ who, field, text }, index) =>
      after[index]?.text === text ? [] : [`${field.name} by ${who}`],
    )
    expect(different).toEqual([])
  })

  /** Every paged list in which the merchant has rows. The lists of operators belong to no merchant. */
  async function pagesOf(credential: string): Promise<readonly ForeignPage[]> {
    const pages: ForeignPage[] = []
    const expected = expectedRootFields()
    for (const path of ['/graphql', '/v1beta1/relay'] as const) {
      const schema = await matrix.schemaFor(path, credential)
      for (const field of rootFields(schema.getQueryType()).filter(isConnection)) {
        // The test itself writes the audit log.
        if (/^(auditEntr|audit_log)/.test(field.name)) continue
        if (path === '/graphql' && expected.get(`query.${field.name}`)?.key !== 'allowed') continue
        const { query, variables } = pageQuery(field, { first: 1 })
        const { data, text } = await matrix.client(path, credential)<Record<string, Page>>(query, variables)
        if (data === null) throw new Error(`${path} ${field.name}: ${text}`)
        const edge = data[field.name]?.edges[0]
        if (edge) pages.push({ path, field, cursor: edge.cursor, id: edge.node.id })
      }
    }
    return pages
  }

  /** The answers to a key and a shopper, after and before each of the cursors. */
  async function answersBeyond(pages: readonly ForeignPage[]) {
    const callers = [
      ['a key', await matrix.callers.key(matrix.permissions)],
      ['a shopper', await matrix.shopper(0)],
    ] as const
    const answers = []
    for (const [who, credential] of callers)
      for (const path of ['/graphql', '/v1beta1/relay'] as const) {
        const known = rootFields((await matrix.schemaFor(path, credential)).getQueryType())
        const client = matrix.client(path, credential)
        for (const page of pages.filter((one) => one.path === path)) {
          const field = known.find(({ name }) => name === page.field.name)
          if (field === undefined) continue
          for (const range of [
            { first: 50, after: page.cursor },
            { last: 50, before: page.cursor },
          ]) {
            const { query, variables } = pageQuery(field, range)
            const { text, status } = await client(query, variables)
            expect.soft(status, `${path} ${field.name} by ${who}: ${text}`).toBeLessThan(500)
            answers.push({
              who,
              path,
              field,
              text: text.replaceAll(/"(requestId|timestamp|lastUsedAt|last_used_at)":"[^"]*"/g, ''),
            })
          }
        }
      }
    return answers
  }

  async function idsOf(merchantId: string): Promise<ReadonlySet<string>> {
    const ids = new Set([merchantId])
    for (const { name, columns } of await tenantTables(matrix.sql)) {
      if (!columns.some((column) => column.name === 'id')) continue
      const rows = await matrix.sql.unsafe<{ id: string }[]>(
        `SELECT id::text AS id FROM ${name} WHERE merchant_id = $1`,
        [merchantId],
      )
      for (const { id } of rows) ids.add(id)
    }
    return ids
  }

  const foreignAmong = (text: string): readonly string[] =>
    [...text.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)]
      .map(([id]) => id)
      .filter((id) => foreignRows.has(id))
})

/** A paged list without required arguments. */
const isConnection = ({ type, args }: Field): boolean =>
  getNamedType(type).name.endsWith('Connection') && !args.some((argument) => isNonNullType(argument.type))

const pageQuery = (field: Field, range: Readonly<Record<string, unknown>>) =>
  generateOperation('query', field, {
    depth: 2,
    leaf: (name, type) => range[name] ?? sampleValue(type, name),
    withOptional: ({ name }) => name in range,
  })

/** Decodes cursors and Relay's ids, which are base64, in place. */
const withCursorsRead = (text: string): string =>
  text.replaceAll(/"[A-Za-z0-9+/_-]{16,}={0,2}"/g, (quoted) =>
    Buffer.from(quoted.slice(1, -1), 'base64url').toString('utf8').replaceAll('\\', ''),
  )
