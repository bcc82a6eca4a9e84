// Shared code of the operators' commands: they use the platform's database, whether or not a platform runs.
import { type EncryptionKey, parseEncryptionKeys } from '@commerce-graph/secret-box'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { databaseProblem } from './database-problem.ts'
import { parsedBy } from './parsed-by.ts'
import { PlatformError } from './platform-error.ts'
import { type SecretsRead, withSecretFiles } from './secret-files.ts'
import { unlimited } from './unlimited.ts'
import { withPassword } from './url-variable.ts'

const repository = join(import.meta.dirname, '../..')

/** Connects to the database of DATABASE_URL, or of the platform that runs here, until the work is done. */
export async function withDatabase(work: (sql: Sql) => Promise<void>): Promise<void> {
  const url = await databaseUrl()
  if (!URL.canParse(url))
    throw new PlatformError('DATABASE_URL must be a URL, like postgres://user@host/name')
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 10,
    onnotice: () => undefined,
    connection: unlimited,
  })
  try {
    await work(sql)
  } catch (error) {
    throw databaseProblem(error)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The running platform (`npm start`) writes its database's address here. */
async function databaseUrl(): Promise<string> {
  const named = namedDatabase()
  if (named !== undefined) return named
  const ready = await readReadyFile(z.object({ databaseUrl: z.string() }))
  if (ready !== undefined) return ready.databaseUrl
  throw new PlatformError(
    `no platform is running here (${dataFolderPath('ready.json')} is absent): run npm start, or set DATABASE_URL`,
  )
}

/** Postgres itself, with its separate password, as the platform reads it. */
function namedDatabase(): string | undefined {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl, PGPASSWORD: password } = environment()
  return withPassword(directUrl ?? url, password)
}

/** The variables, and the contents of the files of secrets. @throws PlatformError for a file that can't be read */
function environment(): SecretsRead['values'] {
  const { values, problems } = withSecretFiles(process.env)
  if (problems.length > 0) throw new PlatformError(problems.join('\n'))
  return values
}

/** What the platform that runs here has written down about itself; undefined when none does. */
export async function readReadyFile<Fields>(fields: z.ZodType<Fields>): Promise<Fields | undefined> {
  const path = dataFolderPath('ready.json')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const parsed = parsedBy((json): unknown => JSON.parse(json))
    .pipe(fields)
    .safeParse(text)
  if (parsed.success) return parsed.data
  throw new PlatformError(`${path} is broken: start the platform again, which writes it anew`)
}

/** The keys of ENCRYPTION_KEYS, or those in the platform's data folder. */
export async function encryptionKeys(): Promise<readonly EncryptionKey[]> {
  const { ENCRYPTION_KEYS: named } = environment()
  if (named !== undefined) return keysOf('ENCRYPTION_KEYS', named)
  const path = dataFolderPath('secrets.json')
  const text = await readFile(path, 'utf8').catch(() => {
    throw new PlatformError(
      `the platform's encryption keys are not here (${path} is absent): set ENCRYPTION_KEYS or DATA_DIR as the platform has them`,
    )
  })
  const secrets = parsedBy((json): unknown => JSON.parse(json))
    .pipe(z.object({ encryptionKeys: z.string() }))
    .safeParse(text)
  if (!secrets.success) throw new PlatformError(`${path} is broken: restore it, or set ENCRYPTION_KEYS`)
  return keysOf(path, secrets.data.encryptionKeys)
}

function keysOf(source: string, text: string): readonly EncryptionKey[] {
  const parsed = parsedBy(parseEncryptionKeys).safeParse(text)
  if (parsed.success) return parsed.data
  throw new PlatformError(parsed.error.issues.map(({ message }) => `${source}: ${message}`).join('\n'))
}

/** A file or folder of the platform's data folder. */
export function dataFolderPath(file: string): string {
  const { DATA_DIR: dataDir } = process.env
  return join(resolve(repository, dataDir === undefined || dataDir === '' ? '.data' : dataDir), file)
}
