import type { Actions } from '@commerce-graph/actions'
import type { Readiness } from '@commerce-graph/gateway'
import type { Pooler } from '@commerce-graph/postgres-driver'
import type { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import type { Metrics } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import type { PlatformConfig } from './configuration.ts'
import type { Secrets } from './data-folder.ts'
import type { PartAddress, PartAddresses } from './database-parts.ts'
import type { DemoShop } from '@commerce-graph/demo-shop'
import type { Ports } from './ports.ts'
import type { StartedParts } from './started-parts.ts'

/** How everything will be stopped. */
export interface Stopping {
  drain: boolean
  /**
   * Functions that announce the stop on every service at once. The services close one after the other, and the
   * callers of each have noticed the announcement by then.
   */
  readonly beginDrains: (() => void)[]
}

/** Where the services reach each other: in this process, or in others. */
export interface Addresses {
  readonly gateway: string
  readonly authWebhook: string
  readonly actions: string
}

/** The actions of this process, once they have started. The engine, which starts earlier, calls them without HTTP. */
export interface LocalActions {
  find: Actions['findLocal']
}

/** The parts that every service needs for its start. */
export interface Services {
  readonly ports: Ports
  readonly addresses: Addresses
  readonly localActions: LocalActions
  readonly started: StartedParts
  readonly secrets: Secrets
  /** The owner's address, for the preparation of the database; the services have those of `parts`. */
  readonly databaseUrl: string
  readonly parts: PartAddresses
  /** The part of this process: the start looks at the database with its rights. */
  readonly ownPart: PartAddress
  /** The pooler that the URL leads to. */
  readonly pooler: Pooler | undefined
  /** The one connection that all services of this process listen on. */
  readonly listener: SharedListener
  /** Leads to Postgres itself. */
  readonly directUrl: string
  /** Where the log of the database is read; undefined: nowhere. */
  readonly feedUrl: string | undefined
  readonly logger: Logger
  /** Absent where nothing is measured. */
  readonly metrics: Metrics | undefined
  readonly stopping: Stopping
  /** The services' checks for `/readyz`. */
  readonly readiness: Readiness
}

/**
 * The address of a service in this process, from this machine.
 * @param host the address that it listens on; loopback by default
 */
export function addressOf(port: number, host = '127.0.0.1'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** The addresses of services that are all in this process. */
export const ownAddresses = (
  ports: Pick<Ports, 'gateway' | 'authWebhook' | 'actions'>,
  { host, webhookHost, actionsHost }: Pick<PlatformConfig, 'host' | 'webhookHost' | 'actionsHost'>,
): Addresses => ({
  gateway: addressOf(ports.gateway, host),
  authWebhook: addressOf(ports.authWebhook, webhookHost),
  actions: addressOf(ports.actions, actionsHost),
})

/** Receives a line for each step of a start. */
export type Progress = (message: string) => void

export interface RunningServices {
  readonly urls: PlatformUrls
  readonly adminSecret: string
  /** Undefined for a database that has its own merchants instead. */
  readonly demoShop: DemoShop | undefined
  /** The transport of e-mail: `outbox` is a folder of the data folder, `none` suppresses it. */
  readonly email: 'smtp' | 'outbox' | 'none'
  /** The transport of pushes: `none` suppresses them. */
  readonly pushes: 'webhook' | 'none'
  /** How live queries learn of changes; undefined: as a Hasura in another process does, or as they are told to. */
  readonly liveQueries: LiveQueries | undefined
  /** Where uploaded files are. */
  readonly files: 'folder' | 's3'
  /** The processor of new card payments. */
  readonly cardPayments: 'stripe' | 'sandbox' | 'none'
}

/** They follow the log of the database, or poll for a reason. */
export type LiveQueries =
  | { readonly kind: 'following' }
  | { readonly kind: 'absent'; readonly reason: string }

export interface PlatformUrls {
  /** The contract. */
  readonly graphql: string
  /** Hasura's HTTP API, without a path. */
  readonly hasura: string
  readonly authWebhook: string
  readonly actions: string
  /** Null in a live deployment, which has none. */
  readonly paymentSandbox: string | null
}
