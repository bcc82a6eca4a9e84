import { isObjectType, type GraphQLSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../support/graphql-client.ts'
import { operations, tables } from './expectations.ts'
import { openMatrix, type Matrix } from './open-matrix.ts'
import { generateOperation, type GeneratedOperation } from './operation-generator.ts'
import { sampleValue } from './sample-value.ts'
import { fingerprint } from './tenants.ts'
import { outcomeOf, tableWrites, type TableWrite, writingFields } from './table-writes.ts'
import { tableFields, type TrackedTable } from './tracked-tables.ts'

type Data = Readonly<Record<string, unknown>>

/**
 * Which caller writes which table and calls which action or function through Hasura's own API. expected/tables.csv
 * and expected/operations.csv define it. A refused call must change nothing, and the same call must succeed with the
 * permission: this proves that it failed for the permission.
 */
describe('on Hasura’s own API', { timeout: 120_000 }, () => {
  let matrix: Matrix
  const rows = tables()
  const schemas = new Map<string, GraphQLSchema>()
  let operator: string

  beforeAll(async () => {
    matrix = await openMatrix()
    schemas.set('merchant', await matrix.schemaFor('/v1/graphql', matrix.platform.liveKey))
    schemas.set('customer', await matrix.schemaFor('/v1/graphql', await matrix.shopper(0)))
    schemas.set('guest', await matrix.schemaFor('/v1/graphql', matrix.guest(0)))
    operator = await matrix.callers.operator()
    schemas.set('operator', await matrix.schemaFor('/v1/graphql', operator))
  }, 120_000)
  afterAll(() => matrix.close())

  const schema = (role: 'merchant' | 'customer' | 'guest' | 'operator'): GraphQLSchema => {
    const found = schemas.get(role)
    if (!found) throw new Error(`there is no schema of ${role}`)
    return found
  }
  const ask = (credential: string, { query, variables }: Pick<GeneratedOperation, 'query' | 'variables'>) =>
    matrix.client('/v1/graphql', credential)<Data>(query, variables)

  test.each([
    ['a shopper', 'customer', 'shopper reads'],
    ['a guest', 'guest', 'guest reads'],
  ] as const)(
    '%s reads the rows in tables.csv: its own, or those that the shop shows everyone',
    async (_, role, reads) => {
      const type = schema(role).getQueryType()
      const fields = type ? tableFields(type, matrix.tracked).filter(({ does }) => does === 'list') : []
      const shown = new Set(fields.map(({ table }) => table.name))
      const tablesOf = [...rows.values()].filter((row) => row[reads] !== '-').map(({ table }) => table)
      expect(tablesOf.filter((table) => !shown.has(table) && !withoutList.has(table))).toEqual([])
      expect([...shown].filter((table) => !tablesOf.includes(table))).toEqual([])
      const wrong: string[] = []
      const seenAtAll = new Set<string>()
      for (const { table, field } of fields) {
        const query = `{ rows: ${field.name} { ${keyColumns(role, table).join(' ')} } }`
        const [one, other] = await Promise.all(
          ([0, 1] as const).map(async (number) => {
            const caller = role === 'customer' ? await matrix.shopper(number) : matrix.guest(number)
            const answer = await ask(caller, { query, variables: {} })
            return new Set(((answer.data?.['rows'] ?? []) as unknown[]).map((row) => JSON.stringify(row)))
          }),
        )
        if (one === undefined || other === undefined) continue
        if (one.size + other.size > 0) seenAtAll.add(table.name)
        const listed = rows.get(table.name)?.[reads]
        const shared = [...one].filter((row) => other.has(row)).length
        if (listed === 'own' && shared > 0) wrong.push(`${table.name}: both see a row`)
        if (listed === 'shop' && shared < Math.max(one.size, other.size))
          wrong.push(`${table.name}: one sees more`)
      }
      expect(wrong).toEqual([])
      expect([...shown].filter((table) => !seenAtAll.has(table))).toEqual([])
    },
  )

  test('a function returns the rows in operations.csv, and none without the permission', async () => {
    const wrong: string[] = []
    for (const { name, row, who, role, credential, expected } of await operationCalls('function')) {
      const args = (await functionArguments())[name]
      if (args === undefined) throw new Error(`say what ${name} is to be called with`)
      const query = `{ rows: ${name}(args: ${args}) { __typename${name.endsWith('_aggregate') ? ' aggregate { count }' : ''} } }`
      const known = schema(role).getQueryType()?.getFields()[name] !== undefined
      const outcome = known ? shown(await ask(credential, { query, variables: {} })) : 'absent'
      const meant = expected === 'SVC_AUTH_003' ? 'empty' : expected
      if (outcome !== meant) wrong.push(`${row.operation} by ${who}: ${outcome}, not ${meant}`)
    }
    expect(wrong).toEqual([])
  })

  test('a table can be written as tables.csv says, and in no other way', () => {
    for (const [role, columns] of [
      ['merchant', { insert: 'insert', update: 'update', delete: 'delete' }],
      ['customer', { insert: 'shopper inserts', update: 'shopper updates', delete: 'shopper deletes' }],
    ] as const) {
      const shown = writingFields(schema(role), matrix.tracked).map(
        ({ table, does }) => `${table.name} ${does}`,
      )
      const listed = [...rows.values()].flatMap((row) =>
        (['insert', 'update', 'delete'] as const)
          .filter((write) => row[columns[write]] !== null && row[columns[write]] !== '-')
          .map((write) => `${row.table} ${write}`),
      )
      expect([...new Set(shown)].sort(), role).toEqual(listed.sort())
    }
    expect(writingFields(schema('guest'), matrix.tracked)).toEqual([])
  })

  test('a key with every permission except the needed one writes nothing; a key with only that one does', async () => {
    const writes = await tableWrites(matrix, schema('merchant'))
    const needed = ({ table, does }: TableWrite) => rows.get(table.name)?.[does] ?? []
    const { sql, platform, callers, permissions } = matrix
    // The test creates keys, and the audit log records refusals.
    const isOfCallers = (table: string) =>
      ['merchant.api_key', 'merchant.api_key_hash'].includes(table) || table.startsWith('audit.')
    const digests = async () =>
      Object.entries(await fingerprint(sql, platform.merchantId)).filter(([table]) => !isOfCallers(table))
    const before = await digests()
    const wrong: string[] = []
    for (const each of writes) {
      const held = permissions.filter((name) => !needed(each).includes(name))
      const outcome = outcomeOf(await ask(await callers.key(held), each))
      const expected = each.does === 'insert' ? 'permission-error' : 'nothing'
      if (outcome !== expected) wrong.push(`${each.table.name} ${each.does} without: ${outcome}`)
    }
    expect(await digests()).toEqual(before)
    for (const each of writes) {
      const outcome = outcomeOf(await ask(await callers.key(needed(each)), each))
      // Only a caller with the permission gets these errors: a referenced row can't be deleted, and one of several
      // variants needs options.
      const ruled = each.does === 'delete' || each.table.name === 'catalog.product_variant'
      const may = ['written', ...(ruled ? ['constraint-violation'] : [])]
      if (!may.includes(outcome)) wrong.push(`${each.table.name} ${each.does} with: ${outcome}`)
    }
    expect(wrong).toEqual([])
  })

  // This test is the last one, because actions start work that continues after it.
  test('an action needs the permissions in operations.csv, and is absent for the callers listed there', async () => {
    const wrong: string[] = []
    for (const { name, row, who, role, credential, expected } of await operationCalls('action')) {
      const field = schema(role).getMutationType()?.getFields()[name]
      const outcome =
        field === undefined ? 'absent' : refusalOf(await ask(credential, operationOf('mutation', field)))
      if (outcome !== expected) wrong.push(`${row.operation} by ${who}: ${outcome}, not ${expected}`)
    }
    expect(wrong).toEqual([])
  })

  /** The caller, its credential and the row of operations.csv, for each operation. */
  async function operationCalls(kind: 'action' | 'function') {
    const { callers, permissions } = matrix
    const found = [...operations().values()].filter(({ operation }) => operation.startsWith(`${kind}.`))
    const calls = found.map(async (row) => {
      const without = permissions.filter((name) => !row.permission.includes(name))
      const lacking = row.permission.length === 0 || row.key === 'absent' ? row.key : 'SVC_AUTH_003'
      const by = [
        ['a key with it', 'merchant', await callers.key(row.permission), row.key],
        ['a key without it', 'merchant', await callers.key(without), lacking],
        ['a user with it', 'merchant', await callers.user(row.permission), row.user],
        ['a shopper', 'customer', await matrix.shopper(0), row.shopper],
        ['a guest', 'guest', matrix.guest(0), row.guest],
        ['an operator', 'operator', operator, row.operator],
      ] as const
      const name = row.operation.slice(kind.length + 1)
      return by.map(([who, role, credential, expected]) => ({ name, row, who, role, credential, expected }))
    })
    return (await Promise.all(calls)).flat()
  }

  /** Arguments for each function with which it returns rows. */
  async function functionArguments(): Promise<Readonly<Record<string, string>>> {
    const [service] = await matrix.sql<{ id: string }[]>`
      SELECT id FROM booking.service WHERE merchant_id = ${matrix.platform.merchantId} AND active LIMIT 1`
    const day = 24 * 60 * 60_000
    const from = new Date(Date.now() + day).toISOString()
    const to = new Date(Date.now() + 8 * day).toISOString()
    return {
      analytics_report: '{ metrics: "ORDERS", start_date: "2026-01-01", end_date: "2026-12-31" }',
      booking_availability: `{ service_id: "${service?.id ?? ''}", from: "${from}", to: "${to}" }`,
      search_search: '{ query: "tarp" }',
      search_count_results: '{ query: "tarp" }',
      search_facets: '{ query: "tarp" }',
      search_suggestions: '{ query: "tar" }',
    }
  }

  const operationOf = (
    kind: 'query' | 'mutation',
    field: Parameters<typeof generateOperation>[1],
  ): GeneratedOperation =>
    generateOperation(kind, field, {
      depth: -1,
      leaf: (name, type) => (name === 'customerId' ? matrix.customers[0] : sampleValue(type, name)),
      withOptional: () => false,
    })

  /** The columns that distinguish one row from another. */
  function keyColumns(role: 'customer' | 'guest', table: TrackedTable): readonly string[] {
    const type = schema(role).getType(table.type)
    if (!isObjectType(type)) return []
    return Object.values(type.getFields()).flatMap((field) =>
      /^(uuid|String|timestamptz)!?$/.test(String(field.type)) ? [field.name] : [],
    )
  }
})

/** What functions return, which has no list of its own. */
const withoutList: ReadonlySet<string> = new Set([
  'analytics.report_row',
  'booking.available_slot',
  'search.facet',
  'search.hit',
  'search.suggestion',
  'search.total',
])

const refusalOf = ({ text }: Answer<Data>): string => /SVC_AUTH_\d+/.exec(text)?.[0] ?? 'allowed'

const shown = ({ data }: Answer<Data>): string =>
  /"rows":(\[\]|.*"count":0)/.test(JSON.stringify(data)) ? 'empty' : 'allowed'
