import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { interpret } from './random-queries/interpret.ts'
import {
  type Role,
  type RoleName,
  type TableName,
  library,
  libraryRows,
  librarySql,
  roles,
  sessionVariables,
  tableNames,
} from './random-queries/library.ts'
import { queryOf } from './random-queries/query-arbitrary.ts'
import { requestOf, whereObject } from './random-queries/query.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

/** `RANDOM_QUERIES=20000 npx vitest run …/random-queries.test.ts` compares so many for each role. */
const runs = Number(process.env['RANDOM_QUERIES'] ?? 150)

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(librarySql)
  for (const table of tableNames)
    await project.pool.query(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(libraryRows[table])],
    )
  const { newExecutor } = await project.serve(libraryMetadata())
  executor = newExecutor()
})

afterAll(() => project.close())

test.each(Object.keys(roles) as RoleName[])(
  'what a statement answers %s is what the rows say, read one by one',
  async (role) => {
    const session = createSession(role, sessionVariables)
    await fc.assert(
      fc.asyncProperty(queryOf(roles[role]), async (query) => {
        const expected = rounded(interpret(query, roles[role]))
        for (const form of ['inline', 'variables'] as const) {
          const result = await executor.execute(requestOf(query, form), session)
          if (result.kind !== 'data') throw new Error(`${form}: ${JSON.stringify(result.errors)}`)
          const { answer } = JSON.parse(result.json) as { readonly answer: unknown }
          expect(rounded(answer)).toEqual(expected)
        }
      }),
      { numRuns: runs },
    )
  },
  Math.max(30_000, runs * 200),
)

/** Averages are numeric in Postgres and binary here: they agree in twelve digits. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'number' ? Number(member.toPrecision(12)) : member,
    ),
  )

function libraryMetadata() {
  const others = Object.entries(roles as Readonly<Record<string, Role>>).filter(([name]) => name !== 'admin')
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
