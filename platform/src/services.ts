import type { Readiness } from '@commerce-graph/gateway'
import type { Logger } from 'pino'
import type { Secrets } from './data-folder.ts'
import type { Ports } from './ports.ts'

/** What each service is started with. */
export interface Services {
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

/** How a service of this process is reached from this machine. @param host the address that it listens on; this machine's own unless said */
export function addressOf(port: number, host = '127.0.0.1'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
