import { randomBytes } from 'node:crypto'
import { LogicalReplicationService, type Pgoutput } from 'pg-logical-replication'
import { type CommittedTransaction, formatLsn, parseLsn } from './committed-transaction.ts'
import { announcesSchema, SlotPlugin } from './slot-plugin.ts'
import { TransactionCollector } from './transaction-collector.ts'

export interface LogReaderOptions {
  readonly databaseUrl: string
  readonly publication: string
  readonly partitionColumn: string | undefined
  /** Milliseconds after which Postgres ends a session that doesn't answer, or takes no data. */
  readonly serverPatienceMs: number
}

/** What a reader tells. After `ended`, which comes once, it tells nothing more. */
export interface LogReaderEvents {
  readonly started: (tables: ReadonlySet<number>) => void
  readonly committed: (transaction: CommittedTransaction) => void
  /** What is published, or a view or a function, may have changed. */
  readonly schemaChanged: () => void
  /** All that was committed up to this position has been told. */
  readonly confirmed: (lsn: bigint) => void
  readonly ended: (error: Error) => void
}

export interface LogReader {
  /** Asks Postgres how far it has decoded, and tells it what it need not keep any more. */
  readonly ping: () => void
  /** Milliseconds, by the server's clock, since the commit of the transaction that is being received; 0 between two. */
  readonly behindMs: () => number
  readonly stop: () => Promise<void>
}

const connectTimeoutMs = 10_000

/** Reads the changes of a publication from the log of now on, by a slot of its own that ends with its connection. */
export function readLog(options: LogReaderOptions, events: LogReaderEvents): LogReader {
  const { databaseUrl, publication, partitionColumn, serverPatienceMs } = options
  const collector = new TransactionCollector(partitionColumn)
  const plugin = new SlotPlugin(publication, collector)
  const service = new LogicalReplicationService(
    {
      connectionString: databaseUrl,
      application_name: 'change-feed',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      // Otherwise, a session whose network has died would hold its slot for a quarter of an hour, and a checkpoint that wants
      // to drop the slot would wait for it.
      options: `-c wal_sender_timeout=${serverPatienceMs} -c tcp_user_timeout=${serverPatienceMs}`,
    },
    { acknowledge: { auto: false, timeoutSeconds: 0 } },
  )
  let ended = false
  /** The server's clock minus ours, in milliseconds. */
  let clockAhead = 0
  /** What Postgres has told last of its position. */
  let position = 1n
  /**
   * The library adds one to what is acknowledged. A Postgres that is stopped waits until a reader has acknowledged its last
   * position, and no other.
   */
  const acknowledge = (asksForAnswer: boolean): void =>
    void service.acknowledge(formatLsn(position - 1n), asksForAnswer)
  const end = (error: Error): void => {
    if (ended) return
    ended = true
    events.ended(error)
    void service.destroy().catch(() => undefined)
  }
  service.on('error', end)
  service.on('start', () => events.started(plugin.tables))
  service.on('data', (_, message) => {
    if (ended) return
    try {
      tell(message as Pgoutput.Message, collector, events)
    } catch (error) {
      end(asError(error))
    }
  })
  service.on('heartbeat', (lsn, serverTime, mustAnswer) => {
    if (ended) return
    clockAhead = serverTime - Date.now()
    position = parseLsn(lsn)
    if (mustAnswer) acknowledge(false)
    events.confirmed(position)
  })
  const slot = `change_feed_${randomBytes(8).toString('hex')}`
  service
    .subscribe(plugin, slot)
    .then(() => end(new Error('the connection has ended')))
    .catch((error: unknown) => end(asError(error)))
  return {
    ping: () => acknowledge(true),
    behindMs: () =>
      collector.committedAt === undefined ? 0 : Date.now() + clockAhead - collector.committedAt,
    stop: async () => {
      ended = true
      await service.destroy()
    },
  }
}

function tell(message: Pgoutput.Message, collector: TransactionCollector, events: LogReaderEvents): void {
  switch (message.tag) {
    case 'begin':
      collector.begin(message)
      return
    case 'insert':
    case 'update':
    case 'delete':
      collector.row(message)
      return
    case 'truncate':
      collector.truncate(message)
      return
    case 'commit': {
      const transaction = collector.commit(message)
      if (transaction !== undefined) events.committed(transaction)
      return
    }
    case 'message':
      if (announcesSchema(message)) events.schemaChanged()
      return
    case 'origin':
    case 'relation':
    case 'type':
      return
    default:
      message satisfies never
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
