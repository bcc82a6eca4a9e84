import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Engine, startEngine } from '../engine.ts'
import type { Metadata, TableMetadata } from '../metadata/types.ts'
import { createSession } from '../session/types.ts'

let database: TestDatabase
let engine: Engine

const statements = `
  create table team (id int primary key, name text not null);
  create table employee (
    id int primary key, name text not null, salary int not null, team_id int not null references team,
    boss_id int, notes jsonb not null default '{}'
  );
  create function yearly(employee) returns int stable language sql as 'select $1.salary * 12';
  create function staff() returns setof employee stable language sql as 'select * from employee';
  insert into team values (1, 'Sales'), (2, 'Stock');
  insert into employee values
    (1, 'Ada', 10, 1, 9, '{"a":1}'), (2, 'Bo', 20, 1, 9, '{"a":2}'), (3, 'Cy', 30, 2, 9, '{"a":3}');`

const table = (name: string, more: Omit<TableMetadata, 'table'>): TableMetadata => ({
  table: { schema: 'public', name },
  ...more,
})

const employee = table('employee', {
  object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
  computed_fields: [
    {
      name: 'yearly',
      definition: { function: { schema: 'public', name: 'yearly' } },
    },
  ],
  select_permissions: [
    {
      role: 'self',
      permission: {
        columns: ['id', 'name', 'salary', 'notes'],
        computed_fields: ['yearly'],
        filter: { id: { _eq: 'X-Hasura-User-Id' } },
        limit: 1,
      },
    },
    {
      role: 'mate',
      permission: {
        columns: ['name', 'team_id'],
        filter: { team: { employees: { id: { _eq: 'X-Hasura-User-Id' } } } },
        allow_aggregations: true,
        limit: 5,
        query_root_fields: ['select'],
      },
    },
    { role: 'auditor', permission: { columns: ['id', 'salary'], filter: {}, allow_aggregations: true } },
  ],
  update_permissions: [
    { role: 'self', permission: { columns: ['name', 'salary'], filter: { id: 'X-Hasura-User-Id' } } },
    { role: 'mate', permission: { columns: ['salary', 'name'], filter: { id: 'X-Hasura-User-Id' } } },
    { role: 'auditor', permission: { columns: ['name'], filter: {} } },
  ],
  delete_permissions: [
    { role: 'self', permission: { filter: { id: 'X-Hasura-User-Id' } } },
    { role: 'mate', permission: { filter: {} } },
  ],
})

const metadata: Metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        employee,
        table('team', {
          array_relationships: [
            {
              name: 'employees',
              using: {
                foreign_key_constraint_on: {
                  column: 'team_id',
                  table: { schema: 'public', name: 'employee' },
                },
              },
            },
          ],
          select_permissions: [{ role: 'mate', permission: { columns: ['name'], filter: {} } }],
        }),
      ],
      functions: [{ function: { schema: 'public', name: 'staff' }, permissions: [{ role: 'mate' }] }],
    },
  ],
  inherited_roles: [
    { role_name: 'worker', role_set: ['self', 'mate'] },
    { role_name: 'clerk', role_set: ['worker', 'auditor'] },
    { role_name: 'alone', role_set: ['self'] },
  ],
}

beforeAll(async () => {
  database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(statements)
  await client.end()
  engine = await startEngine({
    databaseUrl: database.url,
    inferFunctionPermissions: false,
    logger: pino({ level: 'silent' }),
  })
})

beforeEach(async () => {
  await engine.replaceMetadata(metadata)
})

afterAll(async () => {
  await engine.stop()
  await database.drop()
})

async function ask(role: string, query: string): Promise<unknown> {
  const result = await engine.execute({ query }, createSession(role, { 'x-hasura-user-id': '1' }))
  return result.kind === 'data' ? JSON.parse(result.json) : result.errors.map(({ message }) => message)
}

describe('an inherited role', () => {
  test('sees the rows and columns of its roles, and null where none of them may read the value', async () => {
    expect(
      await ask(
        'worker',
        '{ employee(order_by: {name: asc}) { id name salary yearly team_id notes(path: "a") } }',
      ),
    ).toEqual({
      employee: [
        { id: 1, name: 'Ada', salary: 10, yearly: 120, team_id: 1, notes: 1 },
        { id: null, name: 'Bo', salary: null, yearly: null, team_id: 1, notes: null },
      ],
    })
  })

  test('can not learn a masked value by filter, order, distinct, aggregate, key or relationship', async () => {
    expect(await ask('worker', '{ employee(where: {salary: {_gt: 15}}) { name } }')).toEqual({ employee: [] })
    expect(await ask('worker', '{ employee(where: {yearly: {_gt: 15}}) { name } }')).toEqual({
      employee: [{ name: 'Ada' }],
    })
    expect(await ask('worker', '{ employee(order_by: {salary: desc_nulls_last}) { name } }')).toEqual({
      employee: [{ name: 'Ada' }, { name: 'Bo' }],
    })
    expect(
      await ask(
        'worker',
        '{ employee(distinct_on: salary, order_by: [{salary: desc_nulls_last}, {name: asc}]) { name salary } }',
      ),
    ).toEqual({
      employee: [
        { name: 'Ada', salary: 10 },
        { name: 'Bo', salary: null },
      ],
    })
    expect(
      await ask(
        'worker',
        '{ employee_aggregate { aggregate { count all: count(columns: salary) sum { salary } max { salary } } } }',
      ),
    ).toEqual({
      employee_aggregate: { aggregate: { count: 2, all: 1, sum: { salary: 10 }, max: { salary: 10 } } },
    })
    expect(
      await ask('worker', '{ one: employee_by_pk(id: 1) { name } two: employee_by_pk(id: 2) { name } }'),
    ).toEqual({
      one: { name: 'Ada' },
      two: null,
    })
    expect(await ask('worker', '{ team(where: {employees: {salary: {_gt: 15}}}) { name } }')).toEqual({
      team: [],
    })
    expect(
      await ask(
        'worker',
        '{ team(order_by: [{employees_aggregate: {max: {salary: desc_nulls_last}}}, {name: asc}]) { name } }',
      ),
    ).toEqual({ team: [{ name: 'Sales' }, { name: 'Stock' }] })
  })

  test('inherits through other inherited roles, masks included', async () => {
    expect(
      await ask('clerk', '{ employee(order_by: {id: asc}) { id name salary notes(path: "a") } }'),
    ).toEqual({
      employee: [
        { id: 1, name: 'Ada', salary: 10, notes: 1 },
        { id: 2, name: 'Bo', salary: 20, notes: null },
        { id: 3, name: null, salary: 30, notes: null },
      ],
    })
  })

  test('of one role is that role, limit included; of an unknown role it has no permissions', async () => {
    expect(await ask('alone', '{ employee { id salary } }')).toEqual({ employee: [{ id: 1, salary: 10 }] })
    expect(await ask('alone', '{ employee_aggregate { aggregate { count } } }')).toEqual([
      'field "employee_aggregate" not found in type: \'query_root\'',
    ])
    const { sources } = metadata
    await engine.replaceMetadata({
      ...metadata,
      sources,
      inherited_roles: [{ role_name: 'worker', role_set: ['mate', 'team_only'] }],
    })
    // An unknown role makes the inherited role inconsistent.
    expect(await ask('worker', '{ employee { name } }')).toEqual([
      'field "employee" not found in type: \'query_root\'',
    ])
  })

  test('has nullable types for columns that may be masked', async () => {
    const fields = (role: string) =>
      ask(role, '{ __type(name: "employee") { fields { name type { kind } } } }').then(
        (answer) =>
          (answer as { __type: { fields: { name: string; type: { kind: string } }[] } }).__type.fields,
      )
    const kind = async (role: string, name: string) =>
      (await fields(role)).find((field) => field.name === name)?.type.kind
    expect([
      await kind('self', 'salary'),
      await kind('worker', 'salary'),
      await kind('worker', 'name'),
      await kind('alone', 'salary'),
    ]).toEqual(['NON_NULL', 'SCALAR', 'NON_NULL', 'NON_NULL'])
  })

  test('may call every function that one of its roles may call', async () => {
    expect(await ask('worker', '{ staff(order_by: {name: asc}) { name salary } }')).toEqual({
      staff: [
        { name: 'Ada', salary: 10 },
        { name: 'Bo', salary: null },
      ],
    })
    expect(await ask('alone', '{ staff { name } }')).toEqual([
      'field "staff" not found in type: \'query_root\'',
    ])
  })

  test('inherits write permissions that its roles share; where they differ it has none, and metadata reports that', async () => {
    const update =
      'mutation { update_employee(where: {salary: {_gte: 10}}, _set: {name: "Ada"}) { affected_rows returning { name } } }'
    expect(await ask('worker', update)).toEqual({
      update_employee: { affected_rows: 1, returning: [{ name: 'Ada' }] },
    })
    expect(await ask('worker', 'mutation { delete_employee(where: {}) { affected_rows } }')).toEqual([
      'field "delete_employee" not found in type: \'mutation_root\'',
    ])
    expect(await ask('clerk', update)).toEqual(['no mutations exist'])
    const conflicts = engine.snapshot.inconsistencies.map(({ type, name, entity }) => ({
      type,
      name,
      entity,
    }))
    const type = 'inherited role permission inconsistency'
    const entity = { source: 'default', table: 'employee' }
    expect(conflicts).toEqual([
      { type, name: 'worker', entity: { ...entity, permission_type: 'delete' } },
      { type, name: 'clerk', entity: { ...entity, permission_type: 'update' } },
      { type, name: 'clerk', entity: { ...entity, permission_type: 'delete' } },
    ])
  })

  test("'s own permission replaces what it would inherit", async () => {
    await engine.replaceMetadata({
      ...metadata,
      sources: metadata.sources.map((source) => ({
        ...source,
        tables: source.tables.map((each) =>
          each.table.name === 'employee'
            ? {
                ...each,
                select_permissions: [
                  ...(each.select_permissions ?? []),
                  { role: 'worker', permission: { columns: ['name'], filter: { id: { _eq: 3 } } } },
                ],
              }
            : each,
        ),
      })),
    })
    expect(await ask('worker', '{ employee { name } }')).toEqual({ employee: [{ name: 'Cy' }] })
  })
})

test.each([
  [[{ role_name: 'a', role_set: ['a'] }], 'cannot be in the role combination'],
  [[{ role_name: 'a', role_set: ['absent'] }], 'parent role(s) are not found: "absent"'],
  [
    [
      { role_name: 'a', role_set: ['b'] },
      { role_name: 'b', role_set: ['self', 'a'] },
    ],
    'found cycle(s) in roles',
  ],
])('impossible inherited roles are inconsistent: %o', async (roles, reason) => {
  const found = await engine.replaceMetadata({ ...metadata, inherited_roles: roles })
  expect(found[0]).toMatchObject({
    type: 'inherited_role',
    reason: expect.stringContaining(reason) as string,
  })
})
