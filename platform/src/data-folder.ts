import {
  type EncryptionKey,
  formatEncryptionKeys,
  newEncryptionKey,
  parseEncryptionKeys,
} from '@commerce-graph/secret-box'
import { acquireLock } from '@commerce-graph/local-postgres'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { PlatformError } from './platform-error.ts'

/** The folder of one running platform. */
export interface DataFolder {
  readonly path: string
  /** Reads a file of JSON, or undefined when there is none. */
  readonly read: <T>(name: DataFile, schema: z.ZodType<T>) => T | undefined
  /** Writes a file of JSON that only its owner may read, as a whole or not at all. */
  readonly write: (name: DataFile, value: unknown) => void
  readonly remove: (name: DataFile) => void
  readonly release: () => void
}

/** The files in it, besides Postgres' own folder. */
export const dataFiles = ['ready.json', 'keys.json', 'secrets.json'] as const
type DataFile = (typeof dataFiles)[number]
/** How to repair a file that can't be read. */
const remedies: Readonly<Record<DataFile, string>> = {
  'ready.json': 'Remove it; it is written anew at each start.',
  'keys.json': 'Remove it to have new keys of the demo shop made.',
  'secrets.json':
    'It holds the key that secrets in the database are sealed with: restore it from a backup. If there is none, the second factors of all ' +
    'users are lost, and everybody has to sign in again; only then remove it, to have new secrets made.',
}
export const postgresFolder = 'postgres'
/** The folder for e-mail if there is no mail server. */
export const outboxFolder = 'outbox'
/** The folder for uploaded files if there is no other one, and no bucket. */
export const filesFolder = 'files'
/** The folder for the pages of `/admin`, which are built there. */
export const adminFolder = 'admin'
/** The folder for the pages of `/docs`, which are built there. */
export const docsFolder = 'docs'
/** Where a restore makes its data until all of it is there. */
export const restoringFolder = 'restoring'
/** What a backup takes along beside the database. */
export const backedUpFiles = ['keys.json', 'secrets.json', filesFolder] as const
const lockFile = 'platform.lock'

/** Opens the folder for this process alone. Throws a PlatformError if another platform runs on it. */
export function openDataFolder(path: string): DataFolder {
  const folder = createFolder(path)
  const lock = acquireLock(join(folder, lockFile))
  if (lock.kind === 'held') {
    throw new PlatformError(
      `The platform is running on ${folder} already (process ${lock.pid}). Stop it first, or start another one beside it with PORT and DATA_DIR.`,
    )
  }
  return {
    path: folder,
    read: (name, schema) => readJson(join(folder, name), schema, remedies[name]),
    write: (name, value) => writeJson(join(folder, name), value),
    remove: (name) => rmSync(join(folder, name), { force: true }),
    release: lock.release,
  }
}

function createFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true })
    return realpathSync(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PlatformError(`The data folder can't be created: ${reason}. Choose another one with DATA_DIR.`)
  }
}

function readJson<T>(path: string, schema: z.ZodType<T>, remedy: string): T | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw new PlatformError(`${path} is damaged. ${remedy}`)
  }
}

function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

const secretsFile = z.object({
  adminSecret: z.string(),
  actionsSecret: z.string(),
  encryptionKeys: z.string().transform(parseEncryptionKeys),
})
export interface Secrets {
  readonly adminSecret: string
  readonly actionsSecret: string
  /** The first one seals. */
  readonly encryptionKeys: readonly EncryptionKey[]
}

/** The secrets that the services share, created once. Configured secrets take precedence and are not stored. */
export function keptSecrets(folder: DataFolder, given: GivenSecrets): Secrets {
  const { adminSecret, actionsSecret, encryptionKeys } =
    folder.read('secrets.json', secretsFile) ?? madeSecrets(folder)
  return {
    adminSecret: given.adminSecret ?? adminSecret,
    actionsSecret: given.actionsSecret ?? actionsSecret,
    encryptionKeys: given.encryptionKeys ?? encryptionKeys,
  }
}

interface GivenSecrets {
  readonly adminSecret?: string | undefined
  readonly actionsSecret?: string | undefined
  readonly encryptionKeys?: readonly EncryptionKey[] | undefined
}

function madeSecrets(folder: DataFolder): Secrets {
  const secrets = {
    adminSecret: newSecret(),
    actionsSecret: newSecret(),
    encryptionKeys: [newEncryptionKey()] as const,
  }
  folder.write('secrets.json', { ...secrets, encryptionKeys: formatEncryptionKeys(secrets.encryptionKeys) })
  return secrets
}

const newSecret = (): string => randomBytes(32).toString('base64url')
