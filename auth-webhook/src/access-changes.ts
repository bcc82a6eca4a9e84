import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { AccessScope } from './access.ts'

// The channel of the triggers' announcements (migrations/default). The payload is a merchant's id, or `operator`.
const channel = 'access_changed'
// A connection can be dead without either side noticing. Each beat sends a query, which must be answered before the
// next beat, so that a revocation is missed for at most a second.
const heartbeatMs = 500
const connectTimeoutMs = 2_000

interface AccessChangesOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  readonly onChange: (scope: AccessScope) => void
  /** Announcements may have been missed: no cached result can be trusted. */
  readonly onGap: () => void
}

/**
 * Listens to announced changes of access until it is closed. It has its own connection, through `pg`, because
 * `postgres` reconnects its listener without notice, and every moment without a connection counts here.
 */
export class AccessChanges {
  readonly #options: AccessChangesOptions
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>
  #heard = false

  constructor(options: AccessChangesOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  /** Whether every change is received at this moment. While it is false, cached results may be stale. */
  get heard(): boolean {
    return this.#heard
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#listenUntilLost()
      await this.#pause()
    }
  }

  async #listenUntilLost(): Promise<void> {
    const { databaseUrl, logger, onChange, onGap } = this.#options
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'auth-webhook listener',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: heartbeatMs,
    })
    const lost = new AbortController()
    client.on('error', () => lost.abort())
    client.on('end', () => {
      this.#heard = false
      lost.abort()
    })
    client.on('notification', ({ payload }) => {
      if (payload !== undefined) onChange(payload as AccessScope)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      onGap()
      this.#heard = true
      while (!this.#stopping.signal.aborted && !lost.signal.aborted) {
        await client.query('SELECT 1')
        await this.#pause(lost.signal)
      }
    } catch (error) {
      logger.warn(
        { err: error },
        'changes of access are not heard; every credential is looked up until they are',
      )
    } finally {
      this.#heard = false
      onGap()
      void client.end().catch(() => undefined)
    }
  }

  async #pause(...ends: AbortSignal[]): Promise<void> {
    await sleep(heartbeatMs, undefined, { signal: AbortSignal.any([this.#stopping.signal, ...ends]) }).catch(
      () => undefined,
    )
  }
}
