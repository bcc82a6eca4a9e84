import type pg from 'pg'
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

/** Returns no row, so that the result has only the statement's rows. */
const setSettings = {
  name: 'hasura_set_settings',
  text: `select from (
    select set_config('hasura.user', $1, true) as value, set_config('hasura.tracecontext', $2, true) offset 0
  ) s where value is null`,
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
  readonly #settings: TransactionSettings | undefined
  readonly #rows: ResultRow[] = []
  #wire: Wire | undefined

  constructor(
    statement: Pick<CompiledStatement, 'name' | 'text'>,
    values: ResultRow,
    settings: TransactionSettings | undefined,
    callback: (error: Error | null, rows: readonly ResultRow[]) => void,
  ) {
    this.#statement = statement
    this.#values = values
    this.#settings = settings
    this.callback = callback
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    const prepared = preparedOn.get(wire) ?? new Set()
    preparedOn.set(wire, prepared)
    this.#wire = wire
    wire.stream.cork()
    try {
      if (this.#settings !== undefined)
        send(wire, prepared, setSettings, [this.#settings.user, this.#settings.trace])
      send(wire, prepared, this.#statement, this.#values)
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  handleDataRow({ fields }: { readonly fields: ResultRow }): void {
    this.#rows.push(fields)
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows)
  }

  /** Which messages were processed is unknown, so the statement is prepared again at its next run. */
  handleError(error: Error): void {
    const prepared = this.#wire && preparedOn.get(this.#wire)
    prepared?.delete(this.#statement.name)
    prepared?.delete(setSettings.name)
    this.callback(error, [])
  }

  // The driver calls these, too; nothing has to be done.
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
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
  settings?: TransactionSettings,
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
