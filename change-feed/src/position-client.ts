import pg from 'pg'
import { parseLsn } from './committed-transaction.ts'

/** Where the database stands. */
export interface ServerPosition {
  /** Everything that was committed is in the log up to here. */
  readonly flushed: bigint
  /** `pg_current_snapshot()`. */
  readonly snapshot: string
  /** Whether commits wait for the log (`synchronous_commit` isn't `off`). Otherwise `flushed` promises nothing. */
  readonly isSynchronous: boolean
}

export interface PositionClient {
  /** Rejects when Postgres doesn't answer. The next question then opens another connection. */
  readonly ask: () => Promise<ServerPosition>
  readonly close: () => Promise<void>
}

export interface PositionAddress {
  /** Leads to the primary. A pooler may be in between: the question needs nothing of a session. */
  readonly databaseUrl: string
  /** Whether Postgres keeps the question's plan by its name, which not every pooler lets it. */
  readonly namedStatements: boolean
}

const name = 'position'

const question = {
  text: `
    SELECT
      pg_current_wal_flush_lsn()::text,
      pg_current_snapshot()::text,
      current_setting('synchronous_commit')`,
  rowMode: 'array',
} as const

/** Milliseconds in which Postgres answers, and in which a connection is opened. */
const timeoutMs = 1_000

/**
 * Asks the primary where it stands, on a connection of its own, because requests that wait for theirs must not hold it up.
 * The user needs no right.
 */
export function openPositionClient({ databaseUrl, namedStatements }: PositionAddress): PositionClient {
  const asked = namedStatements ? { ...question, name } : question
  let opening: Promise<pg.Client> | undefined

  const open = (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: name,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    })
    const connecting = client.connect().then(() => client)
    client.on('error', () => forget(connecting))
    return connecting
  }
  /** Several may tell that a connection is lost. The last of them must not end the one that has taken its place. */
  const forget = (lost: Promise<pg.Client>): void => {
    if (opening === lost) opening = undefined
    void lost.then((client) => client.end()).catch(() => undefined)
  }
  return {
    ask: async () => {
      opening ??= open()
      const connecting = opening
      try {
        const client = await connecting
        const { rows } = await client.query<[string, string, string]>(asked)
        const [[flushed, snapshot, commits] = [null, '', 'off']] = rows
        return { flushed: parseLsn(flushed), snapshot, isSynchronous: commits !== 'off' }
      } catch (error) {
        forget(connecting)
        throw error
      }
    },
    close: async () => {
      const client = await opening?.catch(() => undefined)
      opening = undefined
      await client?.end()
    },
  }
}
