import { keepAliveTimeoutBuffer, stopping, type StopOptions } from '@commerce-graph/http-server'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'

export interface Listener {
  readonly url: string
  /** From now on each answer says that its connection ends. */
  beginDrain(): void
  /** Answers what is under way, then closes. */
  close(options?: StopOptions): Promise<void>
}

/** Milliseconds. Longer than the slowest answer (a processor call and a statement), shorter than Hasura's 30 s. */
const requestTimeout = 25_000
const headersTimeout = 10_000
/** Each carries one request at a time, so this bounds what waits for a database connection too. */
export const maxConnections = 2_000

export interface Address {
  /** 0 takes a free one. */
  readonly port: number
  /** The interface to listen on; only this machine's own by default. */
  readonly host?: string
}

export async function listen(app: Express, { port, host = '127.0.0.1' }: Address): Promise<Listener> {
  const server = createServer({ requestTimeout, headersTimeout, keepAliveTimeoutBuffer }, app)
  server.setTimeout(requestTimeout)
  server.maxConnections = maxConnections
  const httpServer = stopping(server)
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${taken}`,
    beginDrain: () => httpServer.begin(),
    close: (options) => httpServer.stop({ ...options, graceMilliseconds: requestTimeout }),
  }
}
