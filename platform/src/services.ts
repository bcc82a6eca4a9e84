import type { Readiness } from '@commerce-graph/gateway'
import type { Logger } from 'pino'
import type { Secrets } from './data-folder.ts'
import type { Ports } from './ports.ts'

/** What each service is started with. */
export type Services = {
  readonly ports: Ports
  readonly started: AsyncDisposableStack
  readonly secrets: Secrets
  readonly databaseUrl: string
  readonly logger: Logger
  /** How all of it is to be stopped, once it is. */
  readonly stopping: { drain: boolean }
  /** What each of them has to say to `/readyz`. */
  readonly readiness: Readiness
}

/** Where a service of this machine listens. */
export const addressOf = (port: number): string => `http://127.0.0.1:${port}`
