import type { Readiness } from '@commerce-graph/gateway'
import type { Logger } from 'pino'
import type { Secrets } from './data-folder.ts'
import type { DemoShop } from '@commerce-graph/demo-shop'
import type { Ports } from './ports.ts'

/** How all of it is to be stopped, once it is. */
export interface Stopping {
  drain: boolean
  /**
   * What says at once, of each service, that it stops: they are closed one after the other, and what calls one of them has long heard
   * of it by then.
   */
  readonly beginDrains: (() => void)[]
}

/** What each service is started with. */
export interface Services {
  readonly ports: Ports
  readonly started: AsyncDisposableStack
  readonly secrets: Secrets
  readonly databaseUrl: string
  readonly logger: Logger
  readonly stopping: Stopping
  /** What each of them has to say to `/readyz`. */
  readonly readiness: Readiness
}

/** How a service of this process is reached from this machine. @param host the address that it listens on; this machine's own unless said */
export function addressOf(port: number, host = '127.0.0.1'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Hears, in a line each, what a start is at. */
export type Progress = (message: string) => void

export interface RunningServices {
  readonly urls: PlatformUrls
  readonly adminSecret: string
  /** Undefined on a database that has merchants of its own instead. */
  readonly demoShop: DemoShop | undefined
  /** What e-mail leaves by: `outbox` is a folder of the data folder, `none` suppresses it. */
  readonly email: 'smtp' | 'outbox' | 'none'
  /** What pushes leave by: `none` suppresses them. */
  readonly pushes: 'webhook' | 'none'
  /** What new card payments are made with. */
  readonly cardPayments: 'stripe' | 'sandbox' | 'none'
}

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
