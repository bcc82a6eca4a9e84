import type { PlatformConfig } from './configuration.ts'
import { type Role, roles as allRoles } from './roles.ts'

type Setting = readonly [name: string, isMissing: (config: PlatformConfig) => boolean]

const adminSecret: Setting = ['HASURA_GRAPHQL_ADMIN_SECRET', (config) => config.adminSecret === undefined]
const actionsSecret: Setting = ['ACTIONS_SECRET', (config) => config.actionsSecret === undefined]
const encryptionKeys: Setting = ['ENCRYPTION_KEYS', (config) => config.encryptionKeys === undefined]
const filesUrl: Setting = ['FILES_URL', (config) => config.filesUrl === undefined]
const storage: Setting = [
  'FILES_FOLDER or FILES_S3_ENDPOINT',
  (config) => config.filesFolder === undefined && config.filesBucket === undefined,
]
const unsubscribeUrl: Setting = ['UNSUBSCRIBE_URL', (config) => config.unsubscribeUrl === undefined]
const redisUrl: Setting = ['REDIS_URL', (config) => config.mode === 'live' && config.redisUrl === undefined]

/** What a role needs that another process has, too: none may be made up here. */
const settingsOf: Readonly<Record<Role, readonly Setting[]>> = {
  gateway: [adminSecret, actionsSecret, encryptionKeys, filesUrl, storage, redisUrl],
  engine: [adminSecret, actionsSecret],
  actions: [actionsSecret, encryptionKeys, filesUrl, storage],
  webhook: [redisUrl],
  worker: [encryptionKeys, filesUrl, storage, unsubscribeUrl],
}

interface Neighbour {
  readonly role: Role
  readonly variable: string
  readonly url: (config: PlatformConfig) => string | undefined
}

const engine: Neighbour = { role: 'engine', variable: 'HASURA_URL', url: (config) => config.hasuraUrl }
const gateway: Neighbour = { role: 'gateway', variable: 'GATEWAY_URL', url: (config) => config.gatewayUrl }
const webhook: Neighbour = { role: 'webhook', variable: 'WEBHOOK_URL', url: (config) => config.webhookUrl }
const actions: Neighbour = { role: 'actions', variable: 'ACTIONS_URL', url: (config) => config.actionsUrl }

/** The roles that each role calls. */
const calledBy: Readonly<Record<Role, readonly Neighbour[]>> = {
  gateway: [engine, actions],
  engine: [webhook, actions],
  actions: [gateway],
  webhook: [],
  worker: [gateway],
}

/** Which settings these roles lack; empty if they can run as a process of their own. */
export function roleProblems(roles: ReadonlySet<Role>, config: PlatformConfig): readonly string[] {
  const lacks = (role: Role): readonly string[] => [
    ...(config.databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...settingsOf[role].flatMap(([name, isMissing]) => (isMissing(config) ? [name] : [])),
    ...calledBy[role].flatMap((called) =>
      roles.has(called.role) || called.url(config) !== undefined ? [] : [called.variable],
    ),
  ]
  return allRoles
    .filter((role) => roles.has(role))
    .flatMap((role) => {
      const missing = lacks(role)
      return missing.length === 0 ? [] : [`the role ${role} needs ${missing.join(', ')}`]
    })
}
