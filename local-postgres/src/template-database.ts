import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase, type TestDatabase, testServerUrl } from './test-database.ts'

/** A database that tests copy, so that each test need not fill its own. */
export interface Template {
  /** Lower-case letters; a part of the database's name. */
  readonly name: string
  /**
   * Absolute paths of the files and folders that decide the template's content. When they change, a new template is
   * filled.
   */
  readonly madeOf: readonly string[]
  /** Fills the empty database at the URL, and closes its connections. */
  readonly fill: (url: string) => Promise<void>
}

const prefix = 'template_'
const leavingTimeoutMs = 10_000

/**
 * Creates a copy of a template on the Postgres of this test run. The first caller fills the template; other callers, in
 * other processes too, wait for it. The template stays on the server for later runs, until its files change. A process
 * reads the files once for each `Template` object, so callers keep the object.
 */
export const createDatabaseFrom = async (template: Template): Promise<TestDatabase> =>
  createTestDatabase({ template: await readyTemplate(template) })

/** The databases' names of the templates that this process has found or is filling. */
const ready = new WeakMap<Template, Promise<string>>()

function readyTemplate(template: Template): Promise<string> {
  const name = ready.get(template) ?? makeTemplate(template)
  ready.set(template, name)
  return name
}

async function makeTemplate({ name: kind, madeOf, fill }: Template): Promise<string> {
  const name = `${prefix}${kind}_${await contentHash(madeOf)}`
  const admin = new pg.Client({ connectionString: testServerUrl() })
  await admin.connect()
  try {
    await admin.query('select pg_advisory_lock(hashtext($1))', [`${prefix}${kind}`])
    const { rows } = await admin.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [`${prefix}${kind}_`],
    )
    if (rows.some(({ datname }) => datname === name)) return name
    for (const { datname } of rows)
      await admin.query(`drop database ${pg.escapeIdentifier(datname)} with (force)`)
    const draft = await createTestDatabase()
    await fill(draft.url)
    // The final name is given when the template is complete, so a killed run leaves no half-filled template.
    await rename(admin, draft.name, name)
    return name
  } finally {
    await admin.end()
  }
}

/** Postgres renames only a database without connections, and an ended pool's connections may take a moment to close. */
async function rename(admin: pg.Client, from: string, to: string): Promise<void> {
  const deadline = Date.now() + leavingTimeoutMs
  for (;;) {
    try {
      await admin.query(`alter database ${pg.escapeIdentifier(from)} rename to ${pg.escapeIdentifier(to)}`)
      return
    } catch (error) {
      const inUse = error instanceof pg.DatabaseError && error.code === '55006'
      if (!inUse || Date.now() > deadline) throw error
      await sleep(20)
    }
  }
}

async function contentHash(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of await filesBelow(path)) {
      hash.update(`${relative(path, file)}\0`).update(await readFile(file))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

async function filesBelow(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  const below = entries
    .filter(({ name }) => name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => filesBelow(join(path, entry.name)))
  return (await Promise.all(below)).flat()
}
