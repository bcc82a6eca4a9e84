import type { EncryptionKey } from '@commerce-graph/secret-box'
import { scryptSync } from 'node:crypto'

/** What has to be the same in all processes, by its name: versions, and fingerprints of secrets. */
export type ProcessSettings = Readonly<Record<string, string>>

export interface ProcessSecrets {
  readonly encryptionKeys?: readonly EncryptionKey[] | undefined
  readonly actionsSecret?: string | undefined
  readonly adminSecret?: string | undefined
}

/** Secrets that people choose can be guessed, so each guess costs as much as with a stored password. */
const fingerprint = (name: string, secret: string | Buffer): string =>
  scryptSync(secret, `commerce-graph fingerprint of ${name}`, 4).toString('hex')

/** Of the secrets that this process has. The first encryption key seals, so the order counts. */
export const settingsOf = (
  versions: { readonly version: string; readonly migration: string },
  { encryptionKeys, actionsSecret, adminSecret }: ProcessSecrets,
): ProcessSettings => ({
  version: versions.version,
  migration: versions.migration,
  ...(encryptionKeys !== undefined && {
    ENCRYPTION_KEYS: encryptionKeys
      .map(({ id, key }) => `${id}:${fingerprint('ENCRYPTION_KEYS', key)}`)
      .join(','),
  }),
  ...(actionsSecret !== undefined && { ACTIONS_SECRET: fingerprint('ACTIONS_SECRET', actionsSecret) }),
  ...(adminSecret !== undefined && {
    HASURA_GRAPHQL_ADMIN_SECRET: fingerprint('HASURA_GRAPHQL_ADMIN_SECRET', adminSecret),
  }),
})

export interface RunningProcess {
  readonly roles: readonly string[]
  readonly host: string
  readonly pid: number
  readonly settings: ProcessSettings
}

const mostNamed = 5

/** A line for each setting that other processes have otherwise; a setting that one of the two lacks is not compared. */
export const differencesFrom = (own: ProcessSettings, others: readonly RunningProcess[]): readonly string[] =>
  Object.entries(own).flatMap(([name, value]) => {
    const differing = others.filter(({ settings }) => (settings[name] ?? value) !== value)
    if (differing.length === 0) return []
    const named = differing
      .slice(0, mostNamed)
      .map(
        ({ roles, host, pid, settings }) =>
          `${settings[name]} at ${roles.join(',')} (${host}, process ${pid})`,
      )
    const rest = differing.length > mostNamed ? ` and ${differing.length - mostNamed} more` : ''
    return `${titleOf(name)} is ${value} here, and ${named.join('; ')}${rest}`
  })

function titleOf(name: string): string {
  switch (name) {
    case 'version':
      return 'The version'
    case 'migration':
      return 'The latest migration that is known'
    default:
      return `The fingerprint of ${name}`
  }
}
