import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabaseFrom, type Template } from './template-database.ts'
import type { TestDatabase } from './test-database.ts'

export interface MigratedDatabase {
  /** The folder of a database's migrations. Their `up.sql`s run in the order of versions. */
  readonly migrations: string
  /** A file of SQL that runs after the migrations. */
  readonly fixture?: string
}

/** Creates a database with all migrations applied. It is a copy of a template that the test run fills once. */
export function createMigratedDatabase(content: MigratedDatabase): Promise<TestDatabase> {
  const key = JSON.stringify([content.migrations, content.fixture])
  const template = templates.get(key) ?? templateOf(content)
  templates.set(key, template)
  return createDatabaseFrom(template)
}

/** By folder and file. */
const templates = new Map<string, Template>()

const templateOf = ({ migrations, fixture }: MigratedDatabase): Template => ({
  name: fixture === undefined ? 'schema' : 'fixture',
  madeOf: fixture === undefined ? [migrations] : [migrations, fixture],
  fill: (url) => runFiles(url, migrations, fixture),
})

async function runFiles(url: string, migrations: string, fixture: string | undefined): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const folder of (await readdir(migrations)).sort())
      await client.query(await readFile(join(migrations, folder, 'up.sql'), 'utf8'))
    if (fixture !== undefined) await client.query(await readFile(fixture, 'utf8'))
  } finally {
    await client.end()
  }
}
