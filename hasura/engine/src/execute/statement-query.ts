import type pg from 'pg'
import { type SessionSettings, type Setting, settingsOfSession } from '../session/session-settings.ts'
import type { Session } from '../session/types.ts'
import type { CompiledStatement } from './compile.ts'

/** Values in Postgres's text format; null for NULL. */
export type ResultRow = readonly (string | null)[]

/** The methods of the driver's connection that send a statement; the driver's types lack them. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  parse(message: { readonly text: string; readonly name: string }): void
  bind(message: { readonly statement: string; readonly values: ResultRow }): void
  execute(): void
  close(message: { readonly type: 'S'; readonly name: string }): void
  sync(): void
}

/** JSON texts that triggers and functions of the database read as `hasura.user` and `hasura.tracecontext`. */
export interface TransactionSettings {
  /** The session's variables. */
  readonly user: string
  /** The trace that the transaction belongs to. */
  readonly trace: string
}

export const transactionSettings = ({ user, trace }: TransactionSettings): readonly Setting[] => [
  ['hasura.user', user],
  ['hasura.tracecontext', trace],
]

/** Makes settings, as many as there are. */
function setSettings(count: number): Pick<CompiledStatement, 'name' | 'text'> {
  const calls = Array.from(
    { length: count },
    (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`,
  )
  return { name: `hasura_set_settings_${count}`, text: `select ${calls.join(', ')}` }
}

/** Longer statements, like inserts of many rows, are seldom repeated and would fill the server's memory. */
const maxPreparedLength = 50_000

/** Names of the prepared statements of each connection. */
const preparedOn = new WeakMap<Wire, Set<string>>()

/** Connections through a pooler that keeps no statements: the next transaction may be in another session. */
const nameless = new WeakSet<Wire>()

const wireOf = (client: pg.PoolClient): Wire =>
  (client as unknown as { readonly connection: Wire }).connection

/** From now on, statements of this connection are prepared each time. */
export function withoutNamedStatements(client: pg.PoolClient): void {
  nameless.add(wireOf(client))
}

/** The settings that sessions have on a connection. */
const settingsOn = new WeakMap<Wire, SessionSettings>()

/** From now on, statements of this connection have the settings of their sessions. */
export function withSessionSettings(client: pg.PoolClient, settings: SessionSettings): void {
  settingsOn.set(wireOf(client), settings)
}

/** The settings that a session's statements have on this connection. */
export function settingsFor(client: pg.PoolClient, session: Session): readonly Setting[] {
  const settings = settingsOn.get(wireOf(client))
  return settings === undefined ? [] : settingsOfSession(session, settings)
}

/**
 * One run of a prepared statement, for the driver. The driver's own query asks for a description of the columns and
 * makes an object of each row. Here every column is text and names aren't needed, so a run is Bind, Execute and Sync in
 * one write.
 *
 * Settings are sent in the same message train as the statement, which is one transaction: they end with it and cost no
 * round trip.
 */
class StatementQuery implements pg.Submittable {
  readonly callback: (error: Error | null, rows: readonly ResultRow[]) => void
  readonly #statement: Pick<CompiledStatement, 'name' | 'text'>
  readonly #values: ResultRow
  readonly #settings: readonly Setting[]
  readonly #rows: ResultRow[] = []
  #wire: Wire | undefined
  /** Whether the rows that come are those of the settings. */
  #makesSettings: boolean

  constructor(
    statement: Pick<CompiledStatement, 'name' | 'text'>,
    values: ResultRow,
    settings: readonly Setting[],
    callback: (error: Error | null, rows: readonly ResultRow[]) => void,
  ) {
    this.#statement = statement
    this.#values = values
    this.#settings = settings
    this.#makesSettings = settings.length > 0
    this.callback = callback
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    const prepared = preparedOn.get(wire) ?? new Set()
    preparedOn.set(wire, prepared)
    this.#wire = wire
    wire.stream.cork()
    try {
      if (this.#settings.length > 0)
        send(wire, prepared, setSettings(this.#settings.length), this.#settings.flat())
      send(wire, prepared, this.#statement, this.#values)
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  handleDataRow({ fields }: { readonly fields: ResultRow }): void {
    if (!this.#makesSettings) this.#rows.push(fields)
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows)
  }

  /** Which messages were processed is unknown, so the statement is prepared again at its next run. */
  handleError(error: Error): void {
    const prepared = this.#wire && preparedOn.get(this.#wire)
    prepared?.delete(this.#statement.name)
    prepared?.delete(setSettings(this.#settings.length).name)
    this.callback(error, [])
  }

  handleCommandComplete(): void {
    this.#makesSettings = false
  }

  // The driver calls these, too; nothing has to be done.
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
}

function send(
  wire: Wire,
  prepared: Set<string>,
  { name, text }: Pick<CompiledStatement, 'name' | 'text'>,
  values: ResultRow,
): void {
  const isKept = text.length <= maxPreparedLength && !nameless.has(wire)
  const statement = isKept ? name : ''
  if (!isKept) wire.parse({ name: '', text })
  else if (!prepared.has(name)) {
    // Closing an absent statement is no error, and it may exist after a run that failed.
    wire.close({ type: 'S', name })
    wire.parse({ name, text })
    prepared.add(name)
  }
  wire.bind({ statement, values })
  wire.execute()
}

/**
 * Runs a statement on a connection, prepared under its name. Returns its rows as texts. With settings it runs in a
 * transaction of its own that has them. Rejects with the driver's DatabaseError.
 */
export const runStatement = (
  client: pg.PoolClient,
  statement: Pick<CompiledStatement, 'name' | 'text'>,
  values: ResultRow,
  settings: readonly Setting[] = [],
): Promise<readonly ResultRow[]> =>
  new Promise((resolve, reject) => {
    client.query(
      new StatementQuery(statement, values, settings, (error, rows) => {
        if (error === null) resolve(rows)
        else reject(error)
      }),
    )
  })

/** How many prepared statements a connection has. */
export const preparedCount = (client: pg.PoolClient): number => preparedOn.get(wireOf(client))?.size ?? 0
