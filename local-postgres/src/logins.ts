import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import pg from 'pg'

/** A role that logins belong to. It has no attribute. */
export interface Group {
  readonly name: string
  /** The roles that it belongs to in turn; made when absent. */
  readonly belongsTo?: readonly string[]
  /** Whether its members have the rights of those only when they take such a role (NOINHERIT). */
  readonly takesRoles?: true
}

/** A role that logs in with a random password. It has no other attribute, unless it says so. */
export interface Login {
  readonly name: string
  /** The roles whose rights it has; made when absent. */
  readonly groups: readonly Group[]
  /** Whether the server's own databases belong to it. */
  readonly ownsDatabases?: true
  /** Whether it may read the log (the attribute REPLICATION). */
  readonly readsLog?: true
}

/** Passwords by the name of the login. */
export type Passwords = ReadonlyMap<string, string>

/**
 * The passwords that the file keeps, and new ones for logins that it doesn't know: `settleLogins` gives each login its password at every
 * start. So a file that is damaged is as good as none.
 */
export async function keptPasswords(file: string, logins: readonly Login[]): Promise<Passwords> {
  const kept = await readPasswords(file)
  const passwords = new Map(
    logins.map(({ name }) => [name, kept.get(name) ?? randomBytes(24).toString('base64url')]),
  )
  if (logins.some(({ name }) => !kept.has(name))) {
    await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(passwords)), {
      mode: 0o600,
      flush: true,
    })
    await rename(`${file}.new`, file)
  }
  return passwords
}

async function readPasswords(file: string): Promise<Passwords> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>))
  } catch {
    return new Map()
  }
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
  const grant = (role: string, member: string) =>
    client.query(`grant ${pg.escapeIdentifier(role)} to ${pg.escapeIdentifier(member)}`)
  for (const { name, groups, readsLog } of logins) {
    for (const role of [...groups.flatMap((group) => [group.name, ...(group.belongsTo ?? [])]), name])
      await make(role)
    const password = pg.escapeLiteral(passwords.get(name) ?? '')
    const attributes = readsLog === true ? 'login replication' : 'login'
    await client.query(`alter role ${pg.escapeIdentifier(name)} ${attributes} password ${password}`)
    for (const group of groups) {
      // A membership inherits what its member does at the time of the grant.
      if (group.takesRoles === true)
        await client.query(`alter role ${pg.escapeIdentifier(group.name)} noinherit`)
      for (const role of group.belongsTo ?? []) await grant(role, group.name)
      await grant(group.name, name)
    }
  }
}
