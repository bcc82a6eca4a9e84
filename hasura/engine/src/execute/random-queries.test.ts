import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { interpret } from './random-queries/interpret.ts'
import { type TableName, library, libraryRows, librarySql, tableNames } from './random-queries/library.ts'
import { type Role, type RoleName, roles, sessionVariables } from './random-queries/roles.ts'
import { queryOf } from './random-queries/query-arbitrary.ts'
import { type RootField, requestOf, whereObject } from './random-queries/query.ts'
import { anyRole } from './random-queries/role-arbitrary.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

/** How many queries are compared for each role: `RANDOM_QUERIES=20000 npx vitest run …/random-queries.test.ts`. */
const runs = Number(process.env['RANDOM_QUERIES'] ?? (process.env['TEST_LONG'] === undefined ? 50 : 150))

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(librarySql)
  for (const table of tableNames)
    await project.pool.query(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(libraryRows[table])],
    )
  const { newExecutor } = await project.serve(libraryMetadata(roles))
  executor = newExecutor()
})

afterAll(() => project.close())

test.each(Object.keys(roles) as RoleName[])(
  'a statement’s answer to %s equals an evaluation row by row',
  async (role) => {
    await fc.assert(
      fc.asyncProperty(queryOf(roles[role]), (query) => expectAgreement(executor, role, roles[role], query)),
      { numRuns: runs },
    )
  },
  Math.max(30_000, runs * 200),
)

test(
  'rows are those of the permission, over any columns, roots, relationships and other tables',
  async () => {
    const roleAndQueries = anyRole.chain((role) =>
      fc.record({
        role: fc.constant(role),
        queries: fc.array(queryOf(role), { minLength: 8, maxLength: 8 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(roleAndQueries, async ({ role, queries }) => {
        const { newExecutor } = await project.serve(libraryMetadata({ any: role }))
        const served = newExecutor()
        for (const query of queries) await expectAgreement(served, 'any', role, query)
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  },
  Math.max(60_000, runs * 400),
)

async function expectAgreement(
  executor: GraphQLExecutor,
  name: string,
  role: Role,
  query: RootField,
): Promise<void> {
  const expected = rounded(interpret(query, role))
  const session = createSession(name, sessionVariables)
  for (const form of ['inline', 'variables'] as const) {
    const result = await executor.execute(requestOf(query, form), session)
    if (result.kind !== 'data') throw new Error(`${form}: ${JSON.stringify(result.errors)}`)
    const { answer } = JSON.parse(result.json) as { readonly answer: unknown }
    expect(rounded(answer)).toEqual(expected)
  }
}

/** Averages are numeric in Postgres and binary here. They agree in twelve digits. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'number' ? Number(member.toPrecision(12)) : member,
    ),
  )

function libraryMetadata(served: Readonly<Record<string, Role>>) {
  const others = Object.entries(served).filter(([name]) => name !== 'admin')
  return {
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: tableNames.map((table) => ({
          table,
          ...relationshipsOf(table),
          select_permissions: others.flatMap(([role, { [table]: permission }]) =>
            permission === undefined
              ? []
              : [
                  {
                    role,
                    permission: {
                      columns: permission.columns,
                      filter: whereObject(permission.filter),
                      allow_aggregations: permission.aggregations,
                      ...(permission.limit === undefined ? {} : { limit: permission.limit }),
                    },
                  },
                ],
          ),
        })),
      },
    ],
  }
}

function relationshipsOf(table: TableName) {
  const all = Object.entries(library[table].relationships)
  return {
    object_relationships: all.flatMap(([name, { kind, own }]) =>
      kind === 'object' ? [{ name, using: { foreign_key_constraint_on: own } }] : [],
    ),
    array_relationships: all.flatMap(([name, { kind, table: other, other: column }]) =>
      kind === 'array' ? [{ name, using: { foreign_key_constraint_on: { table: other, column } } }] : [],
    ),
  }
}
