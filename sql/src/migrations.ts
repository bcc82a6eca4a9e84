import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Sql } from '@commerce-graph/postgres-driver'
import { initialMigration } from './initial-migration.ts'
import type { NextMigration } from './next-migration.ts'
import type { Statement } from './statement.ts'

/** The folder of the migrations that hasura-cli and the platform apply. */
export const migrations = path.resolve(import.meta.dirname, '../../migrations/default')

/** Makes everything; written anew until the first release, and never after. */
export const initial = '1795219200000_initial'

/** Runs all migrations in the order of their versions. Throws what Postgres throws. */
export async function applyMigrations(sql: Sql, folder = migrations): Promise<void> {
  for (const name of readdirSync(folder).sort())
    await sql.unsafe(readFileSync(path.join(folder, name, 'up.sql'), 'utf8'))
}

/** Writes the initial migration from the source. Returns whether it was another one before. */
export function writeInitialMigration(statements: readonly Statement[], folder = migrations): boolean {
  const { up, down } = initialMigration(statements)
  const target = path.join(folder, initial)
  const file = path.join(target, 'up.sql')
  const unchanged = existsSync(file) && readFileSync(file, 'utf8') === up
  mkdirSync(target, { recursive: true })
  writeFileSync(file, up)
  writeFileSync(path.join(target, 'down.sql'), down)
  return !unchanged
}

/** Writes the folder of a migration with what could be written, and a note to be filled in. Returns the folder. */
export function writeNextMigration(
  name: string,
  { up, byHand }: NextMigration,
  { now, folder = migrations }: { readonly now: Date; readonly folder?: string },
): string {
  const target = path.join(folder, `${now.getTime()}_${name}`)
  mkdirSync(target)
  const open = byHand.map((object) => `-- To be written by hand: ${object}\n`).join('')
  writeFileSync(path.join(target, 'up.sql'), [before, open, up, after].filter(Boolean).join('\n'))
  writeFileSync(path.join(target, 'notes.md'), notes(name))
  return target
}

const check = (
  when: string,
): string => `-- Checks the data ${when}: raise an exception for rows that the migration doesn't fit.
DO $$
BEGIN
  NULL;
END
$$;
`
const before = check('before')
const after = check('after')

const notes = (name: string): string => `# ${name}

- **What it does to a running shop**: which locks it takes and for how long, and what of the old version goes on working.
- **Rows**: which are rewritten, and how many at a time.
- **Way back**: what to do when it has to be undone.
`
