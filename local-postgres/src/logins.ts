import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import pg from 'pg'

/** A role that logs in with a random password. It has no other attribute, unless it says so. */
export interface Login {
  readonly name: string
  /** The roles whose rights it has; made when absent, without an attribute. */
  readonly groups: readonly string[]
  /** Whether the server's own databases belong to it. */
  readonly ownsDatabases?: true
  /** Whether it may read the log (the attribute REPLICATION). */
  readonly readsLog?: true
}

/** Passwords by the name of the login. */
export type Passwords = ReadonlyMap<string, string>

/** The passwords that the file keeps, and new ones for logins that it doesn't know. */
export async function keptPasswords(file: string, logins: readonly Login[]): Promise<Passwords> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const kept = new Map(Object.entries(JSON.parse(text) as Record<string, string>))
  const passwords = new Map(
    logins.map(({ name }) => [name, kept.get(name) ?? randomBytes(24).toString('base64url')]),
  )
  if (logins.some(({ name }) => !kept.has(name))) {
    await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(passwords)), { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  return passwords
}

/** Makes the logins, or gives them their passwords and groups again: the cluster may be a restored one, or of before there were any. */
export async function settleLogins(
  client: pg.Client,
  logins: readonly Login[],
  passwords: Passwords,
): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles')
  const existing = new Set(rows.map(({ rolname }) => rolname))
  const make = async (name: string): Promise<void> => {
    if (existing.has(name)) return
    await client.query(`create role ${pg.escapeIdentifier(name)}`)
    existing.add(name)
  }
  for (const { name, groups, readsLog } of logins) {
    for (const role of [...groups, name]) await make(role)
    const password = pg.escapeLiteral(passwords.get(name) ?? '')
    const attributes = readsLog === true ? 'login replication' : 'login'
    await client.query(`alter role ${pg.escapeIdentifier(name)} ${attributes} password ${password}`)
    const to = pg.escapeIdentifier(name)
    for (const group of groups) await client.query(`grant ${pg.escapeIdentifier(group)} to ${to}`)
  }
}
