import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type HasuraApi, runSqlFile, type SqlFailure } from 'hasura-embedded/migrations'

export type SeedOutcome =
  | { readonly kind: 'seeded'; readonly files: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: SqlFailure; readonly files: readonly string[] }

export interface SeedOptions {
  readonly api: HasuraApi
  /** The folder of the database's seeds, like `seeds/default`. */
  readonly directory: string
  readonly database: string
  /** Runs this file of the folder only. */
  readonly file?: string
  readonly onFile?: (file: string) => void
}

/** Runs the seed files in the order of their names, each in a transaction of its own. No record is kept of them. */
export async function applySeeds(options: SeedOptions): Promise<SeedOutcome> {
  const { api, directory, database, file, onFile } = options
  const found = file === undefined ? (await readdir(directory)).filter(isSql).sort() : [file]
  const files: string[] = []
  for (const name of found) {
    onFile?.(name)
    const path = join(directory, name)
    const outcome = await runSqlFile(api, database, { file: path, sql: await readFile(path, 'utf8') })
    if (outcome.kind === 'failed') return { kind: 'failed', failure: outcome.failure, files }
    files.push(name)
  }
  return { kind: 'seeded', files }
}

const isSql = (name: string): boolean => name.endsWith('.sql')
