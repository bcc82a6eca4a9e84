import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { type Catalog, catalogOf } from './catalog-of.ts'
import { initialMigration } from './initial-migration.ts'
import { applyMigrations, migrations } from './migrations.ts'
import { readSource } from './read-source.ts'
import type { Statement } from './statement.ts'

export interface Comparison {
  readonly statements: readonly Statement[]
  /** The catalog of the migrations. */
  readonly before: Catalog
  /** The catalog of the source. */
  readonly after: Catalog
  /** The objects that are not the same in both. */
  readonly different: readonly string[]
}

/**
 * Makes two databases on a server, one of the migrations and one of the source, looks at both, and drops them. Throws what Postgres
 * says of a statement that fails.
 *
 * @param server the URL of a database there, of a role that may create others
 */
export async function compareWithMigrations(server: string, folder = migrations): Promise<Comparison> {
  const statements = await readSource()
  const schemas = statements.flatMap(({ node }) =>
    'CreateSchemaStmt' in node ? [node.CreateSchemaStmt.schemaname ?? ''] : [],
  )
  const before = await inNewDatabase(server, async (sql) => {
    await applyMigrations(sql, folder)
    return catalogOf(sql, schemas)
  })
  const after = await inNewDatabase(server, async (sql) => {
    await sql.unsafe(initialMigration(statements).up)
    return catalogOf(sql, schemas)
  })
  const different = [...new Set([...before.keys(), ...after.keys()])].filter(
    (object) => before.get(object) !== after.get(object),
  )
  return { statements, before, after, different }
}

async function inNewDatabase<T>(server: string, use: (sql: Sql) => Promise<T>): Promise<T> {
  const database = await createTestDatabase({ server })
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  try {
    return await use(sql)
  } finally {
    await sql.end()
    await database.drop()
  }
}
