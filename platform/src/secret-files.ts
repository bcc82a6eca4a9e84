import { closeSync, openSync, readSync } from 'node:fs'

/** The environment variables with a secret in them. Each can be in a file instead, whose path `<name>_FILE` has. */
export const secretVariables = [
  'DATABASE_URL',
  'DATABASE_URL_ENGINE',
  'DATABASE_URL_ACTIONS',
  'DATABASE_URL_AUTH',
  'DATABASE_URL_WORKER',
  'DATABASE_URL_FEED',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URLS',
  'PGPASSWORD',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'HASURA_GRAPHQL_ADMIN_SECRET',
  'ACTIONS_SECRET',
  'ENCRYPTION_KEYS',
  'STRIPE_SECRET_KEY',
  'SMTP_URL',
  'MAIL_DKIM_PRIVATE_KEY',
  'PUSH_WEBHOOK_URL',
  'PUSH_WEBHOOK_SECRET',
  'FILES_S3_ACCESS_KEY_ID',
  'FILES_S3_SECRET_ACCESS_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const

type Environment = Readonly<Record<string, string | undefined>>

/** Longer than any secret, so that a wrong path can't fill the memory. */
const mostBytes = 65_536

export interface SecretsRead {
  /** The environment without its empty variables, and with the contents of the files that it names. */
  readonly values: Environment
  /** What is wrong with a file, with its variable's name. */
  readonly problems: readonly string[]
}

/** Reads the files of secrets, without the line's end that editors put at a file's end. */
export function withSecretFiles(env: Environment): SecretsRead {
  const values: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== ''),
  )
  const problems: string[] = []
  for (const name of secretVariables) {
    const path = values[`${name}_FILE`]
    if (path === undefined) continue
    if (values[name] !== undefined) {
      problems.push(`${name} and ${name}_FILE are both set: set one of them`)
      continue
    }
    const content = contentOf(path)
    if ('problem' in content) problems.push(`${name}_FILE names ${path}, ${content.problem}`)
    else values[name] = content.text
  }
  return { values, problems }
}

function contentOf(path: string): { readonly text: string } | { readonly problem: string } {
  let bytes: Buffer
  try {
    bytes = readStart(path)
  } catch (error) {
    return { problem: `which can't be read: ${(error as Error).message}` }
  }
  if (bytes.length > mostBytes) return { problem: `which has more than ${mostBytes} bytes` }
  const text = bytes.toString('utf8').replace(/(\r?\n)+$/, '')
  return text === '' ? { problem: 'which is empty' } : { text }
}

/** One byte more than a secret may have, at most. */
function readStart(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(mostBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(file, buffer, length, buffer.length - length, null)
    return buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
