import { createMigratedDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const migrations = fileURLToPath(new URL('../../migrations/default', import.meta.url))

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A command of platform/bin, with a new database that has all migrations. */
export interface CommandLine extends AsyncDisposable {
  readonly databaseUrl: string
  readonly sql: Sql
  /** Runs the command to its end. @param env overrides this process's environment and DATABASE_URL */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>
}

/** @param program the file's name without `.ts` */
export async function openCommandLine(program: string): Promise<CommandLine> {
  const database = await createMigratedDatabase({ migrations })
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  return {
    databaseUrl: database.url,
    sql,
    run: (args, env = {}) =>
      new Promise((resolve) => {
        execFile(
          process.execPath,
          [`bin/${program}.ts`, ...args],
          {
            cwd: new URL('..', import.meta.url),
            // Tests compare texts, also where a terminal runs them.
            env: { ...process.env, FORCE_COLOR: '0', DATABASE_URL: database.url, ...env },
          },
          (error, stdout, stderr) =>
            resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
        )
      }),
    async [Symbol.asyncDispose]() {
      await sql.end()
      await database.drop()
    },
  }
}
