import type { Group, Login } from '@commerce-graph/local-postgres'
import type { Pooler } from '@commerce-graph/postgres-driver'
import { engineAcrossRole } from '@commerce-graph/postgres-driver/merchant-scope'

/** The parts of the platform that the database knows apart. Each has the rights of the role `commerce_<part>`. */
export const databaseParts = ['engine', 'actions', 'auth', 'worker'] as const
export type DatabasePart = (typeof databaseParts)[number]

/** The parts' own addresses, as far as they have any. */
export type PartUrls = Readonly<Partial<Record<DatabasePart, string | undefined>>>

/** How a part reaches the database. */
export interface PartAddress {
  readonly databaseUrl: string
  /** The pooler that the URL leads to. */
  readonly pooler: Pooler | undefined
}

export type PartAddresses = Readonly<Record<DatabasePart, PartAddress>>

/** A part without an address of its own has the owner's. */
export function partAddresses(owner: PartAddress, urls: PartUrls): PartAddresses {
  const addressOf = (part: DatabasePart): PartAddress => {
    const databaseUrl = urls[part]
    if (databaseUrl === undefined) return owner
    const { pooler } = owner
    return {
      databaseUrl,
      pooler: pooler && { ...pooler, directUrl: withUserOf(databaseUrl, pooler.directUrl) },
    }
  }
  return {
    engine: addressOf('engine'),
    actions: addressOf('actions'),
    auth: addressOf('auth'),
    worker: addressOf('worker'),
  }
}

/** The other address, for the user of this one. */
function withUserOf(url: string, other: string): string {
  const address = new URL(other)
  const { username, password } = new URL(url)
  address.username = username
  address.password = password
  return address.href
}

/** Where a part's sessions are Postgres' own, of which no pooler knows. */
export const directUrlOf = ({ databaseUrl, pooler }: PartAddress): string => pooler?.directUrl ?? databaseUrl

/** Who migrates the platform's own Postgres, and owns what is in it. */
export const ownerLogin = 'commerce_migrator'
export const loginOf = (part: DatabasePart): string => `commerce_${part}_login`

/** Who reads the log for the change feed, and may read no table. */
export const feedLogin = 'commerce_feed_login'

const group = (name: string): Group => ({ name })
const groupOf = (part: DatabasePart): Group =>
  part === 'engine'
    ? { name: 'commerce_engine', belongsTo: [engineAcrossRole], takesRoles: true }
    : group(`commerce_${part}`)
const readsStatistics = group('pg_read_all_stats')

/** The logins of the platform's own Postgres. Another Postgres has their groups of `platform.make_roles`. */
export const logins: readonly Login[] = [
  {
    name: ownerLogin,
    groups: [{ name: 'commerce_owner', belongsTo: [engineAcrossRole] }, readsStatistics],
    ownsDatabases: true,
  },
  // For people: reports of the operator's own.
  { name: 'commerce_reader_login', groups: [group('commerce_reader')] },
  { name: feedLogin, groups: [], readsLog: true },
  ...databaseParts.map((part) => ({
    name: loginOf(part),
    groups: [groupOf(part), ...(part === 'worker' ? [readsStatistics] : [])],
  })),
]
