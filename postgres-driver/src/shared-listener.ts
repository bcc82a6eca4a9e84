import { EventEmitter } from 'node:events'
import pg from 'pg'

const connectTimeoutMs = 2_000
const keepAliveMs = 10_000

/** A connection, and who shares it. */
interface Session {
  readonly client: Promise<pg.Client>
  readonly shares: Set<ListenerShare>
  /** Statements run one after the other. */
  last: Promise<unknown>
}

/** A share of a process's connection for listening. Emits `notification`, and `error` when the connection is lost. */
export class ListenerShare extends EventEmitter<{
  notification: [{ readonly channel: string; readonly payload?: string | undefined }]
  error: [Error]
}> {
  readonly #run: (text: string, values: readonly unknown[]) => Promise<pg.QueryResult>
  readonly #onRelease: (isBroken: boolean) => void

  constructor(
    run: (text: string, values: readonly unknown[]) => Promise<pg.QueryResult>,
    onRelease: (share: ListenerShare, isBroken: boolean) => void,
  ) {
    super()
    // A worker's waits can overlap.
    this.setMaxListeners(100)
    this.#run = run
    this.#onRelease = (isBroken) => onRelease(this, isBroken)
  }

  query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    return this.#run(text, values)
  }

  release(): void {
    this.#onRelease(false)
  }

  /** Releases a connection that doesn't answer. It is ended, for all who share it. */
  giveUp(): void {
    this.#onRelease(true)
  }
}

/**
 * Lends one connection to Postgres to all who listen in this process, because each connection counts there. It is opened
 * for the first listener and closed after the last. Channels stay listened to until then, so each listener looks at the
 * channel of what it gets. When the connection is lost, each listener gets an `error`, and asks for the next one.
 */
export class SharedListener {
  readonly #config: pg.ClientConfig
  #session: Session | undefined

  /** @param databaseUrl leads to Postgres itself: a pooler in transaction mode passes on no notifications */
  constructor(databaseUrl: string) {
    this.#config = {
      connectionString: databaseUrl,
      application_name: 'listener',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    }
  }

  async lend(): Promise<ListenerShare> {
    const session = (this.#session ??= this.#open())
    const client = await session.client
    if (this.#session !== session) throw new Error('the connection has ended')
    const run = (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
      const result = session.last.then(() => client.query(text, [...values]))
      session.last = result.catch(() => undefined)
      return result
    }
    const share = new ListenerShare(run, (released, isBroken) => {
      session.shares.delete(released)
      if (isBroken || session.shares.size === 0) this.#end(session)
    })
    session.shares.add(share)
    return share
  }

  close(): void {
    if (this.#session !== undefined) this.#end(this.#session)
  }

  #open(): Session {
    const client = new pg.Client(this.#config)
    const shares = new Set<ListenerShare>()
    const opening = client.connect().then(() => client)
    const session: Session = { client: opening, shares, last: Promise.resolve() }
    const end = (): void => this.#end(session)
    client.on('error', end)
    client.on('end', end)
    client.on('notification', (message) => {
      for (const share of shares) share.emit('notification', message)
    })
    opening.catch(end)
    return session
  }

  #end(session: Session): void {
    if (this.#session === session) this.#session = undefined
    const shares = [...session.shares]
    session.shares.clear()
    for (const share of shares)
      if (share.listenerCount('error') > 0) share.emit('error', new Error('the connection has ended'))
    void session.client.then((client) => client.end()).catch(() => undefined)
  }
}
