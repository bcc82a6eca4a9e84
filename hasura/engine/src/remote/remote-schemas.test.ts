import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Engine, startEngine } from '../engine.ts'
import { type Session, createSession } from '../session/types.ts'
import { type RemoteServer, startRemoteServer } from './testing/remote-server.ts'

let database: TestDatabase
let pool: pg.Pool
let remote: RemoteServer
let engine: Engine

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
  pool.on('error', () => undefined)
  await pool.query(`
    create table shop (id bigint primary key, owner text not null, name text not null, city_id int, city text);
    insert into shop values (1, 'a', 'One', 1, 'Ulm'), (2, 'a', 'Two', 2, 'Au'), (3, 'b', 'Three', 1, 'Ulm'),
      (9007199254740993, 'a', 'Big', null, null)`)
  remote = await startRemoteServer()
  engine = await startEngine({
    databaseUrl: database.url,
    adminSecret: 'secret',
    port: 0,
    poolSize: 5,
    remoteSchemaPermissions: true,
    env: { WORLD: remote.url, TOKEN: 't0ken' },
    logger: pino({ level: 'silent' }),
  })
})

afterAll(async () => {
  await engine.stop()
  await remote.close()
  await pool.end()
  await database.drop()
})

async function command(type: string, args: unknown = {}): Promise<unknown> {
  const answer = await fetch(`${engine.url ?? ''}/v1/metadata`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': 'secret' },
    body: JSON.stringify({ type, args }),
  })
  return answer.json()
}

const done = { message: 'success' }
const admin = createSession('admin', { 'X-Hasura-User-Id': 'a' })
const buyer = (id: string): Session => createSession('buyer', { 'X-Hasura-User-Id': id })

async function ask(query: string, variables = {}, session = admin): Promise<unknown> {
  const result = await engine.execute({ query, variables }, session, {
    clientHeaders: { 'x-trace': 'abc', host: 'shop.example' },
  })
  return result.kind === 'data' ? JSON.parse(result.json) : { errors: result.errors }
}

const world = (definition = {}) => ({ name: 'world', definition: { url: '{{WORLD}}', ...definition } })

beforeEach(async () => {
  expect(await command('clear_metadata')).toEqual(done)
  expect(await command('pg_track_table', { table: 'shop' })).toEqual(done)
  const permission = { columns: '*', filter: { owner: 'X-Hasura-User-Id' }, allow_aggregations: true }
  await command('pg_create_select_permission', { table: 'shop', role: 'buyer', permission })
  remote.queries.length = 0
})

afterEach(() => {
  remote.isUp = true
})

describe('root fields', () => {
  test('are sent with all features of GraphQL: aliases, fragments, variables, enums, interfaces and unions', async () => {
    expect(await command('add_remote_schema', world())).toEqual(done)
    const query = `
      query ($id: ID!, $place: Place!, $unit: Unit, $no: Boolean!, $value: JSON) {
        home: city(id: $id) { ...names ...names weather(unit: $unit) { degrees } }
        weather(place: $place, unit: KELVIN) { degrees cityName population @include(if: $no) }
        node(id: 7) { __typename id ... on Person { nick } ... on City { name } }
        search(text: "x") { __typename ... on Node { id } ... on City { name } }
        echo(value: $value, owner: "it's \\"me\\"")
        shop(where: {id: {_eq: 1}}) { name }
      }
      fragment names on City { id name }`
    const variables = {
      id: 1,
      place: { name: 'Rom' },
      unit: 'KELVIN',
      no: false,
      value: { 'a-b': [1, { c: null }] },
    }
    expect(await ask(query, variables)).toEqual({
      home: { id: '1', name: 'Ulm', weather: { degrees: 280.5 } },
      weather: { degrees: 280.5, cityName: 'Rom' },
      node: { __typename: 'Person', id: '7', nick: 'p7' },
      search: [
        { __typename: 'City', id: '1', name: 'Ulm' },
        { __typename: 'Person', id: '9' },
      ],
      echo: { value: variables.value, owner: 'it\'s "me"' },
      shop: [{ name: 'One' }],
    })
    // The field with variables needs a second request.
    expect(remote.queries).toHaveLength(2)
    expect(await ask('mutation { rename(id: 1, name: "Neu") { name } }')).toEqual({ rename: { name: 'Neu' } })
  })

  test('send the configured headers, the session and the client’s headers, and pass cookies on', async () => {
    const headers = [{ name: 'X-Token', value_from_env: 'TOKEN' }]
    await command('add_remote_schema', world({ headers, forward_client_headers: true }))
    const result = await engine.execute({ query: '{ city(id: 1) { name } }' }, admin, {
      clientHeaders: { 'x-trace': 'abc', host: 'shop.example' },
    })
    expect(result).toMatchObject({ kind: 'data', headers: { 'set-cookie': ['seen=1'] } })
    expect(remote.queries[0]?.headers).toMatchObject({
      'x-token': 't0ken',
      'x-hasura-role': 'admin',
      'x-hasura-user-id': 'a',
      'x-trace': 'abc',
    })
    expect(remote.queries[0]?.headers.host).not.toBe('shop.example')
  })

  test.each([
    ['{ city(id: 1) { nothing } }', `field "nothing" not found in type: 'City'`],
    ['{ city(id: 1) }', /missing selection set for/],
    ['{ city { name } }', 'Field "city" argument "id" of type "ID!" is required, but it was not provided.'],
    ['{ city(id: 1, x: 2) { name } }', '"city" has no argument named "x"'],
    [
      '{ weather(place: {x: 1}) { degrees } }',
      /Field "Place.name" of required type|Field "x" is not defined/,
    ],
    ['query ($id: Int) { city(id: $id) { name } }', /variable "id" is declared as Int/],
    ['{ node(id: 1) { ... on Weather { degrees } } }', /can never be of type "Weather"/],
  ])('%s is refused before it is sent', async (query, message) => {
    await command('add_remote_schema', world())
    const expected = typeof message === 'string' ? message : (expect.stringMatching(message) as string)
    expect(await ask(query)).toMatchObject({ errors: [{ message: expected }] })
    expect(remote.queries).toHaveLength(0)
  })

  test('fail with the errors of the remote schema, without its data', async () => {
    await command('add_remote_schema', world())
    expect(await ask('{ shop { name } city(id: 1) { name } fails }')).toMatchObject({
      errors: [{ message: 'it can not be done', extensions: { code: 'remote-schema-error', left: 1.5 } }],
    })
    remote.isUp = false
    expect(await ask('{ city(id: 1) { name } }')).toMatchObject({
      errors: [{ message: expect.stringContaining('"world" does not answer') as string }],
    })
  })

  test('have no subscriptions', async () => {
    await command('add_remote_schema', world())
    const results: unknown[] = []
    for await (const result of engine.subscribe({ query: 'subscription { city(id: 1) { name } }' }, admin))
      results.push(result)
    expect(results).toMatchObject([
      { errors: [{ message: `field "city" not found in type: 'subscription_root'` }] },
    ])
  })
})

test('names are customized: a namespace, prefixes of types, renamed fields', async () => {
  const customization = {
    root_fields_namespace: 'geo',
    type_names: { prefix: 'Geo', suffix: '_', mapping: { City: 'Town' } },
    field_names: [
      { parent_type: 'City', prefix: 'town_', mapping: { name: 'title' } },
      { parent_type: 'Query', mapping: { city: 'town' } },
    ],
  }
  expect(await command('add_remote_schema', world({ customization }))).toEqual(done)
  const query = `query ($unit: GeoUnit_) {
    g: geo {
      town(id: 1) { __typename title town_id town_weather(unit: $unit) { __typename degrees } }
      node(id: 1) { __typename ... on Town { title } }
    }
  }`
  expect(await ask(query, { unit: 'KELVIN' })).toEqual({
    g: {
      town: {
        __typename: 'Town',
        title: 'Ulm',
        town_id: '1',
        town_weather: { __typename: 'GeoWeather_', degrees: 280.5 },
      },
      node: { __typename: 'Town', title: 'Ulm' },
    },
  })
  expect(await ask('mutation { geo { rename(id: 1, name: "x") { title } } }')).toEqual({
    geo: { rename: { title: 'x' } },
  })
  expect(await ask('{ __type(name: "geo_query") { fields { name } } }')).toMatchObject({
    __type: { fields: expect.arrayContaining([{ name: 'town' }]) as unknown },
  })
})

describe('permissions', () => {
  const schema = `
    scalar JSON
    type City { id: ID! name: String! }
    input Place { name: String! country: String @preset(value: "X-Hasura-User-Id") }
    type Weather { degrees: Float! }
    enum Unit { CELSIUS }
    type Query {
      city(id: ID!): City
      weather(place: Place!, unit: Unit @preset(value: "KELVIN")): Weather
      echo(value: JSON, owner: String @preset(value: "x-hasura-user-id")): JSON
    }`

  test('a role sees its part of the schema, and its presets are added', async () => {
    await command('add_remote_schema', world())
    expect(await ask('{ city(id: 1) { name } }', {}, buyer('b'))).toMatchObject({
      errors: [{ message: `field "city" not found in type: 'query_root'` }],
    })
    const permission = { remote_schema: 'world', role: 'buyer', definition: { schema } }
    expect(await command('add_remote_schema_permissions', permission)).toEqual(done)
    expect(
      await ask(
        '{ city(id: 1) { name } echo(value: 1) weather(place: {name: "x"}) { degrees } }',
        {},
        buyer('b'),
      ),
    ).toEqual({ city: { name: 'Ulm' }, echo: { value: 1, owner: 'b' }, weather: { degrees: 280.5 } })
    expect(remote.queries[0]?.query).toContain('country: "b"')
    for (const hidden of [
      '{ search(text: "") { __typename } }',
      '{ city(id: 1) { weather { degrees } } }',
      '{ echo(owner: "c") }',
      '{ weather(place: {name: "x", country: "c"}) { degrees } }',
    ])
      expect(await ask(hidden, {}, buyer('b'))).toHaveProperty('errors')
    expect(await ask('{ echo }', {}, createSession('buyer', {}))).toMatchObject({
      errors: [{ message: 'missing session variables: "x-hasura-user-id"' }],
    })
    const dropped = { remote_schema: 'world', role: 'buyer' }
    expect(await command('drop_remote_schema_permissions', dropped)).toEqual(done)
    expect(await ask('{ city(id: 1) { name } }', {}, buyer('b'))).toHaveProperty('errors')
  })

  const permit = (sdl: string) =>
    command('add_remote_schema_permissions', {
      remote_schema: 'world',
      role: 'buyer',
      definition: { schema: sdl },
    })

  test('a preset that is an object stays what it is, beside objects of the client', async () => {
    await command('add_remote_schema', world())
    const preset = '@preset(value: {tenant: [1, {of: "all"}]})'
    const sdl = `scalar JSON
      type Query { echo(value: JSON, filter: JSON ${preset}): JSON need(filter: JSON! ${preset}): JSON }`
    expect(await permit(sdl)).toEqual(done)
    const filter = { tenant: [1, { of: 'all' }] }
    const query = 'query ($v: JSON) { echo(value: $v) }'
    const value = { tenant: 2 }
    expect(await ask(query, { v: value }, buyer('b'))).toEqual({ echo: { value, filter } })
    expect(await ask('{ echo }', {}, buyer('b'))).toEqual({ echo: { filter } })
    expect(await ask('{ echo need }', {}, buyer('b'))).toEqual({ echo: { filter }, need: filter })
  })

  test('a preset of an interface’s field holds for all of its types', async () => {
    await command('add_remote_schema', world())
    const note = 'note(by: String @preset(value: "x-hasura-user-id")): String'
    const sdl = `interface Node { ${note} }
      type City implements Node { ${note} }
      type Person { nick: String }
      type Query { node(id: ID!): Node city(id: ID!): City }`
    expect(await permit(sdl)).toEqual(done)
    const query = '{ node(id: 1) { note } city(id: 1) { note } }'
    expect(await ask(query, {}, buyer('b'))).toEqual({ node: { note: 'b' }, city: { note: 'b' } })
    expect(await ask('{ node(id: 1) { note(by: "c") } }', {}, buyer('b'))).toHaveProperty('errors')
  })

  const byUser = 'by: String @preset(value: "x-hasura-user-id")'
  test.each([
    [
      'only at a type, not at its interface',
      `interface Node { note(by: String): String }
        type City implements Node { note(${byUser}): String }
        type Query { node(id: ID!): Node city(id: ID!): City }`,
      '"City.note.by" and "Node.note.by"',
    ],
    [
      'only at an interface, not at a type of it, even one that does not say so',
      `interface Node { note(${byUser}): String }
        type City { note(by: String): String }
        type Query { node(id: ID!): Node city(id: ID!): City }`,
      '"City.note.by" and "Node.note.by"',
    ],
    [
      'with another value than at the interface',
      `interface Node { note(${byUser}): String }
        type City implements Node { note(by: String @preset(value: "all")): String }
        type Query { node(id: ID!): Node city(id: ID!): City }`,
      '"City.note.by" and "Node.note.by"',
    ],
    [
      'for an argument that the interface lacks',
      `interface Node { note: String }
        type City implements Node { note(since: Int @preset(value: 1)): String }
        type Query { node(id: ID!): Node city(id: ID!): City }`,
      '"City.note.since" and "Node.note.since"',
    ],
    ['on a field', 'type Query { fails: String @preset(value: 1) }', '@preset belongs to'],
    [
      'in an extension',
      `type Query { fails: String } scalar JSON
        extend type Query { echo(owner: String @preset(value: "x-hasura-user-id")): JSON }`,
      '@preset belongs to',
    ],
  ])('a preset %s is refused', async (_where, sdl, problem) => {
    await command('add_remote_schema', world())
    expect(await permit(sdl)).toMatchObject({
      code: 'invalid-configuration',
      error: expect.stringContaining(problem) as string,
    })
  })

  test.each([
    ['type Query { nothing: String }', 'field "Query.nothing" does not exist with this type'],
    ['type Query { fails: Int }', 'field "Query.fails" does not exist with this type'],
    ['type City { id: ID! } type Query { city: City }', '"Query.city.id" is required, and has no preset'],
    ['enum Unit { ELSE } type Query { fails: String }', 'enum "Unit" has no value "ELSE"'],
    ['type Query {', 'Syntax Error'],
    [
      'interface Node { note: String } type City implements Node { id: ID! } type Query { city(id: ID!): City }',
      'Interface field Node.note expected but City does not provide it.',
    ],
  ])('%s is no part of the remote schema', async (sdl, problem) => {
    await command('add_remote_schema', world())
    const permission = { remote_schema: 'world', role: 'buyer', definition: { schema: sdl } }
    expect(await command('add_remote_schema_permissions', permission)).toMatchObject({
      code: 'invalid-configuration',
      error: expect.stringContaining(problem) as string,
    })
  })
})

describe('relationships', () => {
  const toCity = {
    table: 'shop',
    name: 'town',
    definition: {
      to_remote_schema: {
        remote_schema: 'world',
        lhs_fields: ['city_id'],
        remote_field: { city: { arguments: { id: '$city_id' } } },
      },
    },
  }
  const toWeather = {
    table: 'shop',
    name: 'sky',
    definition: {
      to_remote_schema: {
        remote_schema: 'world',
        lhs_fields: ['city', 'owner'],
        remote_field: { weather: { arguments: { place: { name: '$city', country: '$owner' } } } },
      },
    },
  }
  const toShops = {
    remote_schema: 'world',
    type_name: 'City',
    name: 'shops',
    definition: {
      to_source: {
        source: 'default',
        table: { schema: 'public', name: 'shop' },
        relationship_type: 'array',
        field_mapping: { name: 'city' },
      },
    },
  }
  const toSelf = {
    remote_schema: 'world',
    type_name: 'Weather',
    name: 'towns',
    definition: {
      to_remote_schema: {
        remote_schema: 'world',
        lhs_fields: ['cityName'],
        remote_field: { cities: { arguments: { names: ['$cityName'] } } },
      },
    },
  }

  beforeEach(async () => {
    expect(await command('add_remote_schema', world())).toEqual(done)
    const schema = `type City { id: ID! name: String! } type Query { city(id: ID!): City }`
    await command('add_remote_schema_permissions', {
      remote_schema: 'world',
      role: 'buyer',
      definition: { schema },
    })
    expect(await command('pg_create_remote_relationship', toCity)).toEqual(done)
    expect(await command('pg_create_remote_relationship', toWeather)).toEqual(done)
    expect(await command('create_remote_schema_remote_relationship', toShops)).toEqual(done)
    expect(await command('create_remote_schema_remote_relationship', toSelf)).toEqual(done)
  })

  test('from rows: one request for all rows, each value once, and none for null', async () => {
    const query = '{ shop(order_by: {id: asc}) { t: town { name __typename } id city_id } }'
    expect(await ask(query)).toEqual({
      shop: [
        { t: { name: 'Ulm', __typename: 'City' }, id: 1, city_id: 1 },
        { t: { name: 'Au', __typename: 'City' }, id: 2, city_id: 2 },
        { t: { name: 'Ulm', __typename: 'City' }, id: 3, city_id: 1 },
        // JSON.parse rounds the number, which the answer has in full.
        { t: null, id: 9007199254740992, city_id: null },
      ],
    })
    expect(remote.queries).toHaveLength(1)
    expect(remote.queries[0]?.query.match(/city\(/g)).toHaveLength(2)
    const result = await engine.execute({ query }, admin)
    expect(result.kind === 'data' && result.json).toContain('9007199254740993')
  })

  test('from more rows than fit in one request, with objects as arguments', async () => {
    await pool.query(`
      create table if not exists note (id int primary key, data jsonb not null);
      insert into note select n, jsonb_build_object('n', n) from generate_series(1, 501) n on conflict do nothing`)
    await command('pg_track_table', { table: 'note' })
    const remoteField = { echo: { arguments: { value: '$data' } } }
    const definition = {
      to_remote_schema: { remote_schema: 'world', lhs_fields: ['data'], remote_field: remoteField },
    }
    const created = await command('pg_create_remote_relationship', {
      table: 'note',
      name: 'told',
      definition,
    })
    expect(created).toEqual(done)
    const { note } = (await ask('{ note(order_by: {id: asc}) { told } }')) as { readonly note: unknown }
    expect(note).toEqual(Array.from({ length: 501 }, (_, index) => ({ told: { value: { n: index + 1 } } })))
    expect(remote.queries).toHaveLength(2)
  })

  test('a role needs permissions on both sides', async () => {
    expect(await ask('{ shop(order_by: {id: asc}) { town { name } } }', {}, buyer('b'))).toEqual({
      shop: [{ town: { name: 'Ulm' } }],
    })
    expect(await ask('{ shop { sky { degrees } } }', {}, buyer('b'))).toMatchObject({
      errors: [{ message: `field "sky" not found in type: 'shop'` }],
    })
  })

  test('from a remote schema to rows, under the permissions of the caller, and back', async () => {
    const query = `{ cities { name shops(where: {name: {_neq: "Three"}}, order_by: {id: desc}) { name town { id } } } }`
    expect(await ask(query)).toEqual({
      cities: [
        { name: 'Ulm', shops: [{ name: 'One', town: { id: '1' } }] },
        { name: 'Au', shops: [{ name: 'Two', town: { id: '2' } }] },
      ],
    })
    expect(remote.queries).toHaveLength(2)
  })

  test('from row to remote schema to remote schema to rows, with the client’s arguments', async () => {
    const query = `query ($u: Unit) {
      shop_aggregate(where: {id: {_eq: 1}}) { nodes { sky(unit: $u) { degrees towns { weather(unit: $u) { degrees } shops { name } } } } }
    }`
    expect(await ask(query, { u: 'KELVIN' })).toEqual({
      shop_aggregate: {
        nodes: [
          {
            sky: {
              degrees: 280.5,
              towns: [{ weather: { degrees: 280.5 }, shops: [{ name: 'One' }, { name: 'Three' }] }],
            },
          },
        ],
      },
    })
    expect(remote.queries[0]?.query).toContain('country: "a"')
  })

  test('a mutation’s returned rows have them, too; a refusal of the remote schema comes after the commit', async () => {
    const query = 'mutation { update_shop_by_pk(pk_columns: {id: 1}, _set: {name: "One"}) { town { name } } }'
    expect(await ask(query)).toEqual({ update_shop_by_pk: { town: { name: 'Ulm' } } })
    remote.isUp = false
    expect(await ask('{ shop { town { name } } }')).toHaveProperty('errors')
  })

  test('are refused in subscriptions and in invalid selections', async () => {
    for await (const result of engine.subscribe({ query: 'subscription { shop { town { id } } }' }, admin))
      expect(result).toMatchObject({
        errors: [{ message: 'Remote relationships are not allowed in subscriptions' }],
      })
    expect(await ask('{ shop { town { nothing } } }')).toMatchObject({
      errors: [{ message: `field "nothing" not found in type: 'City'` }],
    })
    expect(await ask('{ shop { town { weather(unit: ELSE) { degrees } } } }')).toHaveProperty('errors')
  })

  test('are created, changed and deleted, and must fit both sides', async () => {
    expect(await command('pg_create_remote_relationship', toCity)).toMatchObject({ code: 'already-exists' })
    const broken = (change: Readonly<Record<string, unknown>>) => ({
      ...toCity,
      name: 'broken',
      definition: { to_remote_schema: { ...toCity.definition.to_remote_schema, ...change } },
    })
    for (const [change, problem] of [
      [{ remote_schema: 'none' }, 'remote schema "none" does not exist'],
      [{ lhs_fields: ['none'] }, 'field "none" does not exist'],
      [{ remote_field: { none: { arguments: {} } } }, 'field "none" does not exist in remote schema'],
      [{ remote_field: { city: { arguments: { x: 1 } } } }, 'argument "x" does not exist in field "city"'],
      [{ remote_field: { city: { arguments: { id: '$x' } } } }, '"$x" is not among lhs_fields'],
    ] as const)
      expect(await command('pg_create_remote_relationship', broken(change))).toMatchObject({
        code: 'invalid-configuration',
        error: expect.stringContaining(problem) as string,
      })
    expect(await command('pg_update_remote_relationship', { ...toWeather, name: 'town' })).toEqual(done)
    expect(await ask('{ shop(where: {id: {_eq: 2}}) { town { cityName } } }')).toEqual({
      shop: [{ town: { cityName: 'Au' } }],
    })
    expect(await command('remove_remote_schema', { name: 'world' })).toMatchObject({
      code: 'dependency-error',
    })
    for (const name of ['town', 'sky'])
      expect(await command('pg_delete_remote_relationship', { table: 'shop', name })).toEqual(done)
    const { remote_schema, type_name, name } = toShops
    expect(
      await command('delete_remote_schema_remote_relationship', { remote_schema, type_name, name }),
    ).toEqual(done)
    expect(await ask('{ cities { shops { id } } }')).toHaveProperty('errors')
    expect(await command('remove_remote_schema', { name: 'world' })).toEqual(done)
  })
})

describe('an unreachable remote schema', () => {
  test('is refused, or inconsistent, until it answers again; the rest is served', async () => {
    remote.isUp = false
    expect(await command('add_remote_schema', world())).toMatchObject({ code: 'invalid-configuration' })
    remote.isUp = true
    expect(await command('add_remote_schema', world())).toEqual(done)
    remote.isUp = false
    expect(await command('reload_remote_schema', { name: 'world' })).toMatchObject({ code: 'unexpected' })
    expect(await command('reload_metadata', { reload_remote_schemas: ['world'] })).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ type: 'remote_schema', name: 'remote_schema world' }],
    })
    expect(await ask('{ shop(limit: 0) { name } }')).toEqual({ shop: [] })
    expect(await ask('{ city(id: 1) { name } }')).toHaveProperty('errors')
    remote.isUp = true
    expect(await command('reload_remote_schema', { name: 'world' })).toEqual(done)
    expect(await ask('{ city(id: 1) { name } }')).toEqual({ city: { name: 'Ulm' } })
  })
})

test('remote schemas are added, updated, introspected and removed, and can not have a name in use', async () => {
  expect(await command('add_remote_schema', world())).toEqual(done)
  expect(await command('add_remote_schema', world())).toMatchObject({ code: 'already-exists' })
  expect(await command('add_remote_schema', { ...world(), name: 'twin' })).toMatchObject({
    code: 'invalid-configuration',
    error: expect.stringContaining('is already there') as string,
  })
  // A native query can coexist with a remote schema, unless they share a name.
  const model = { source: 'default', name: 'number', fields: [{ name: 'n', type: 'integer' }] }
  const native = { source: 'default', root_field_name: 'numbers', code: 'select 1 as n', returns: 'number' }
  expect(await command('pg_track_logical_model', model)).toEqual(done)
  expect(await command('pg_track_native_query', native)).toEqual(done)
  expect(await ask('{ city(id: 1) { name } numbers { n } }')).toEqual({
    city: { name: 'Ulm' },
    numbers: [{ n: 1 }],
  })
  expect(await command('pg_track_native_query', { ...native, root_field_name: 'city' })).toHaveProperty(
    'error',
  )
  expect(await command('pg_untrack_native_query', { source: 'default', root_field_name: 'numbers' })).toEqual(
    done,
  )
  expect(await command('pg_untrack_logical_model', { source: 'default', name: 'number' })).toEqual(done)
  const customization = { root_fields_namespace: 'second' }
  expect(await command('add_remote_schema', { ...world({ customization }), name: 'twin' })).toMatchObject({
    error: expect.stringContaining('Found conflicting definitions for') as string,
  })
  const apart = { root_fields_namespace: 'second', type_names: { prefix: 'T' } }
  expect(await command('add_remote_schema', { ...world({ customization: apart }), name: 'twin' })).toEqual(
    done,
  )
  expect(await ask('{ city(id: 1) { name } second { city(id: 2) { name } } }')).toEqual({
    city: { name: 'Ulm' },
    second: { city: { name: 'Au' } },
  })
  expect(await command('remove_remote_schema', { name: 'twin' })).toEqual(done)
  expect(await command('introspect_remote_schema', { name: 'world' })).toMatchObject({
    data: { __schema: { queryType: { name: 'Query' } } },
  })
  const typeNames = { prefix: 'W' }
  expect(await command('update_remote_schema', world({ customization: { type_names: typeNames } }))).toEqual(
    done,
  )
  expect(await ask('{ city(id: 1) { __typename } }')).toEqual({ city: { __typename: 'WCity' } })
  expect(await command('export_metadata')).toMatchObject({
    remote_schemas: [
      { name: 'world', definition: { url: '{{WORLD}}', customization: { type_names: typeNames } } },
    ],
  })
  expect(await command('remove_remote_schema', { name: 'none' })).toMatchObject({ code: 'not-exists' })
  expect(await command('add_remote_schema', { name: 'x', definition: {} })).toMatchObject({
    code: 'invalid-params',
  })
})
