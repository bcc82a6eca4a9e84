import {
  getNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations, refusedCredentials, tableColumns, tables } from './expectations.ts'
import { headersOf } from './guests.ts'
import { openMatrix, type HasuraPath, type Matrix } from './open-matrix.ts'
import { relationshipsOf, tableFields, type TableField } from './tracked-tables.ts'

const graphqlPaths = ['/v1/graphql', '/v1beta1/relay'] as const

/**
 * Which caller reads which table through Hasura's own API. expected/tables.csv defines it, and every kind of caller
 * reads every tracked table, in every way that the API has.
 */
describe('on Hasura’s own API', { timeout: 120_000 }, () => {
  let matrix: Matrix
  let everybody: ReadonlyMap<string, Caller>
  const rows = tables()
  const schemas = new Map<HasuraPath | 'shopper', GraphQLSchema>()

  beforeAll(async () => {
    matrix = await openMatrix()
    const { platform, callers, permissions } = matrix
    for (const path of graphqlPaths) schemas.set(path, await matrix.schemaFor(path, platform.liveKey))
    schemas.set('shopper', await matrix.schemaFor('/v1/graphql', await matrix.shopper(0)))
    const found = new Map<string, Caller>([
      ['no permission', { credential: await callers.key([]), held: [] }],
      ['all permissions', { credential: await callers.key(permissions), held: permissions }],
      ['a user with all', { credential: await callers.user(permissions), held: permissions }],
      ['a user with none', { credential: await callers.user([]), held: [] }],
    ])
    for (const permission of permissions)
      found.set(permission, { credential: await callers.key([permission]), held: [permission] })
    everybody = found
  }, 120_000)
  afterAll(() => matrix.close())

  const schema = (path: HasuraPath | 'shopper'): GraphQLSchema => {
    const found = schemas.get(path)
    if (!found) throw new Error(`there is no schema of ${path}`)
    return found
  }
  const fieldsOf = (type: GraphQLObjectType | null | undefined, ...does: readonly TableField['does'][]) =>
    type ? tableFields(type, matrix.tracked).filter((field) => does.includes(field.does)) : []

  async function ask(path: HasuraPath, credential: string, query: string): Promise<Data> {
    const answer = await matrix.client(path, credential)<Data>(query)
    if (answer.data === null) throw new Error(answer.text)
    return answer.data
  }

  const mayRead = (table: string, held: readonly string[]): boolean =>
    rows.get(table)?.read?.every((needed) => held.includes(needed)) === true
  /** A user sees its own sessions, whatever its roles permit. */
  const seesRows = (table: string, who: string, held: readonly string[]): boolean =>
    mayRead(table, held) || (table === 'identity.active_session' && who.startsWith('a user'))

  test('every table has its row in tables.csv, and every other root field in operations.csv', async () => {
    expect([...rows.keys()].sort()).toEqual(matrix.tracked.map(({ name }) => name).sort())
    const others: string[] = []
    const operators = await matrix.schemaFor('/v1/graphql', await matrix.callers.operator())
    for (const [type, kind] of [
      [schema('/v1/graphql').getQueryType(), 'function'],
      [schema('/v1/graphql').getMutationType(), 'action'],
      [operators.getQueryType(), 'function'],
      [operators.getMutationType(), 'action'],
    ] as const) {
      const ofTables = new Set(type && tableFields(type, matrix.tracked).map(({ field }) => field.name))
      for (const name of Object.keys(type?.getFields() ?? {})) {
        if (!ofTables.has(name)) others.push(`${kind}.${name}`)
      }
    }
    expect([...operations().keys()].sort()).toEqual(others.sort())
  })

  test('a role has exactly the columns in columns.csv to read, insert and update', async () => {
    const found = new Map<string, readonly string[]>()
    for (const [role, shown] of [
      ['merchant', schema('/v1/graphql')],
      ['customer', schema('shopper')],
      ['guest', await matrix.schemaFor('/v1/graphql', matrix.guest(0))],
      ['operator', await matrix.schemaFor('/v1/graphql', await matrix.callers.operator())],
    ] as const) {
      for (const { name, type } of matrix.tracked) {
        for (const [operation, suffix] of [
          ['select', ''],
          ['insert', '_insert_input'],
          ['update', '_set_input'],
        ] as const) {
          const columns = leafFields(shown, type + suffix)
          if (columns.length > 0) found.set(`${name} ${role} ${operation}`, columns)
        }
      }
    }
    const listed = [...tableColumns()].filter(([, { columns }]) => columns.length > 0)
    const expected = new Map(listed.map(([name, { columns }]) => [name, columns]))
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  })

  test('a caller without a valid credential is refused at every path', async () => {
    const credentials = await matrix.callers.refused(matrix.permissions, matrix.customers[0])
    for (const [name, authorization] of credentials) {
      for (const path of [...graphqlPaths, '/v1/metadata', '/v2/query', '/v1alpha1/config']) {
        const response = await fetch(`${matrix.platform.hasuraUrl}${path}`, {
          method: path === '/v1alpha1/config' ? 'GET' : 'POST',
          headers: authorization === null ? {} : { authorization },
          ...(path !== '/v1alpha1/config' && {
            body: '{"query":"{ __typename }","type":"export_metadata","args":{}}',
          }),
        })
        expect(await response.text(), `${path} by ${name}`).toContain(refusedCredentials().get(name)?.hasura)
      }
    }
  })

  test('no merchant, user, shopper, guest or operator reaches metadata, SQL or settings', async () => {
    const { platform, callers, permissions } = matrix
    for (const credential of [
      platform.liveKey,
      await callers.user(permissions),
      await matrix.shopper(0),
      matrix.guest(0),
      await callers.operator(),
    ]) {
      for (const [path, body] of [
        ['/v1/metadata', { type: 'export_metadata', args: {} }],
        ['/v2/query', { type: 'run_sql', args: { sql: 'SELECT 1' } }],
        ['/v1alpha1/config', undefined],
      ] as const) {
        const response = await fetch(`${platform.hasuraUrl}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          // With the admin secret, this header would make the caller an admin.
          headers: { ...headersOf(credential), 'x-hasura-role': 'admin' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        expect(await response.text(), path).toContain('"code":"access-denied"')
      }
    }
  })

  test('an operator’s key sees the tables in tables.csv, and no table with a merchant’s rows', async () => {
    for (const path of graphqlPaths) {
      const operators = await matrix.schemaFor(path, await matrix.callers.operator())
      const shown = fieldsOf(operators.getQueryType(), 'list', 'aggregate', 'byKey', 'connection')
      const listed = [...rows.values()]
        .filter((row) => row['operator reads'] === 'all')
        .map(({ table }) => table)
      expect(new Set(shown.map(({ table }) => table.name))).toEqual(
        new Set(path === '/v1/graphql' ? listed : []),
      )
      const changed = operators.getMutationType()
      expect(changed === undefined || changed === null ? [] : tableFields(changed, matrix.tracked)).toEqual(
        [],
      )
    }
  })

  test('a key sees only the rows of its permission’s tables, in lists, counts and Relay’s connections', async () => {
    const wrong: string[] = []
    for (const [path, ...does] of [
      ['/v1/graphql', 'list', 'aggregate'],
      ['/v1beta1/relay', 'connection'],
    ] as const) {
      const fields = fieldsOf(schema(path).getQueryType(), ...does)
      const query = `{ ${fields.map(({ field: { name }, does }, index) => `f${index}: ${name}${selectAny(does)}`).join(' ')} }`
      for (const [who, { credential, held }] of everybody) {
        const data = await ask(path, credential, query)
        for (const [index, { table, does }] of fields.entries()) {
          const shows = showsRows(data[`f${index}`])
          if (shows !== seesRows(table.name, who, held))
            wrong.push(`${table.name} as ${does} with ${who}: ${String(shows)}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('a row without permission is not found by its key or as a Relay node', async () => {
    const keys = await primaryKeys()
    const byKey = fieldsOf(schema('/v1/graphql').getQueryType(), 'byKey')
    const parts = byKey.map(({ field, table }, index) => {
      const args = field.args.map(({ name }) => `${name}: ${JSON.stringify(keys.get(table.name)?.[name])}`)
      return `f${index}: ${field.name}(${args.join(', ')}) { __typename }`
    })
    const connections = fieldsOf(schema('/v1beta1/relay').getQueryType(), 'connection')
    const all = everybody.get('all permissions')
    const nodes = await ask(
      '/v1beta1/relay',
      all?.credential ?? '',
      `{ ${connections.map(({ field }, index) => `f${index}: ${field.name}(first: 1) { edges { node { id } } }`).join(' ')} }`,
    )
    const ids = connections.map(
      (_, index) => /"id":"([^"]+)"/.exec(JSON.stringify(nodes[`f${index}`]))?.[1] ?? '',
    )
    const byNode = ids.map((id, index) => `f${index}: node(id: ${JSON.stringify(id)}) { id }`)
    const wrong: string[] = []
    for (const [who, { credential, held }] of everybody) {
      for (const [path, query, fields] of [
        ['/v1/graphql', parts, byKey],
        ['/v1beta1/relay', byNode, connections],
      ] as const) {
        const data = await ask(path, credential, `{ ${query.join(' ')} }`)
        for (const [index, { table }] of fields.entries()) {
          const shows = data[`f${index}`] !== null
          if (shows !== mayRead(table.name, held))
            wrong.push(`${path} ${table.name} with ${who}: ${String(shows)}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('neither a relationship nor its aggregate shows rows without permission', async () => {
    const lists = fieldsOf(schema('/v1/graphql').getQueryType(), 'list')
    const paths = lists.map(({ table, field }) => ({
      table,
      field,
      relationships: relationshipsOf(schema('/v1/graphql'), table, matrix.tracked),
    }))
    const query = `{ ${paths
      .map(({ field, relationships }, index) => {
        const related = relationships.map(
          ({ name, counts }) => `${name}${counts ? ' { aggregate { count } }' : ' { __typename }'}`,
        )
        return `f${index}: ${field.name}(limit: 50) { __typename ${related.join(' ')} }`
      })
      .join(' ')} }`
    const wrong: string[] = []
    const ledSomewhere = new Set<string>()
    const all = new Set<string>()
    for (const [who, { credential, held }] of everybody) {
      const data = await ask('/v1/graphql', credential, query)
      for (const [index, { table, relationships }] of paths.entries()) {
        for (const { name, to } of relationships) {
          const path = `${table.name} ${name}`
          all.add(path)
          const shows = (data[`f${index}`] as Data[]).some((row) => showsRows(row[name]))
          if (shows) ledSomewhere.add(path)
          if (shows && !mayRead(to.name, held)) wrong.push(`${path} with ${who}`)
        }
      }
    }
    expect(wrong).toEqual([])
    expect([...all].filter((path) => !ledSomewhere.has(path))).toEqual([])
  })

  /** The key of one row of each table. */
  async function primaryKeys(): Promise<ReadonlyMap<string, Data>> {
    const found = new Map<string, Data>()
    for (const { name, sql: table } of matrix.tracked) {
      // Customers' tables come last: in some of them, the merchant sees only part of the rows.
      const [row] = await matrix.sql.unsafe<{ row: Data }[]>(
        `SELECT row FROM (SELECT to_jsonb(t) AS row FROM ${table} t) rows
         WHERE coalesce(row ->> 'merchant_id', row ->> 'id', $1) = $1 ORDER BY row ->> 'customer_id' IS NOT NULL, row ->> 'id' LIMIT 1`,
        [matrix.platform.merchantId],
      )
      if (row !== undefined) found.set(name, row.row)
    }
    return found
  }
})

type Data = Readonly<Record<string, unknown>>

/** The names of a type's fields that are columns or computed scalar fields, in alphabetical order. */
function leafFields(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name)
  const fields = isObjectType(type)
    ? Object.values(type.getFields()).map(
        (field) => [field.name, isLeafType(getNamedType(field.type))] as const,
      )
    : isInputObjectType(type)
      ? Object.values(type.getFields()).map(
          (field) => [field.name, isLeafType(getNamedType(field.type))] as const,
        )
      : []
  return fields.flatMap(([field, isLeaf]) => (isLeaf ? [field] : [])).sort()
}

interface Caller {
  readonly credential: string
  readonly held: readonly string[]
}

/** The smallest selection that shows whether there is a row. */
function selectAny(does: TableField['does']): string {
  switch (does) {
    case 'aggregate':
      return ' { aggregate { count } }'
    case 'connection':
      return '(first: 1) { edges { node { id } } }'
    default:
      return '(limit: 1) { __typename }'
  }
}

/** Whether a row, a list, a count or a connection has any row. */
const showsRows = (value: unknown): boolean =>
  value !== null && !['[]', '{"edges":[]}', '{"aggregate":{"count":0}}'].includes(JSON.stringify(value))
