import pg from 'pg'
import {
  type SessionSettings,
  type Setting,
  settingCall,
  settingsOfSession,
} from '../session/session-settings.ts'
import type { Session } from '../session/types.ts'
import type { CompiledStatement } from './compile.ts'
import { idleTime, noteTimes } from './expected-time.ts'

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

/** The statements that make settings, by the settings' kinds. They answer no row: the driver would read it for nothing. */
const settingStatements = new Map<string, Pick<CompiledStatement, 'name' | 'text'>>()

/** Makes settings, as many as there are. */
function setSettings(settings: readonly Setting[]): Pick<CompiledStatement, 'name' | 'text'> {
  const kinds = settings.map(([name]) => (name === 'role' ? 'r' : 's')).join('')
  const known = settingStatements.get(kinds)
  if (known !== undefined) return known
  const calls = settings.map(([name], index) => settingCall(name, `$${2 * index + 1}`, `$${2 * index + 2}`))
  const statement = {
    name: `hasura_set_settings_${kinds}`,
    text: `select where num_nonnulls(${calls.join(', ')}) < 0`,
  }
  settingStatements.set(kinds, statement)
  return statement
}

/** Longer statements, like inserts of many rows, are seldom repeated and would fill the server's memory. */
const maxPreparedLength = 50_000

/** What is known of a connection. */
interface WireState {
  /** Names of its prepared statements. */
  readonly prepared: Set<string>
  /** Its pooler keeps no statements: the next transaction may be in another session. */
  isNameless: boolean
  /** The settings that sessions have on it. */
  settings: SessionSettings | undefined
  /** When it answered last. What was sent before that began then. */
  answeredAt: Moment
}

/** By `performance.now()`, and how long this process had been idle by then. */
interface Moment {
  readonly at: number
  readonly idle: number
}

const start: Moment = { at: 0, idle: 0 }

const now = (): Moment => ({ at: performance.now(), idle: idleTime() })

const later = (one: Moment, other: Moment): Moment => (one.at > other.at ? one : other)

const states = new WeakMap<Wire, WireState>()

function stateOf(wire: Wire): WireState {
  const known = states.get(wire)
  if (known !== undefined) return known
  const state: WireState = { prepared: new Set(), isNameless: false, settings: undefined, answeredAt: start }
  states.set(wire, state)
  return state
}

const wireOf = (client: pg.PoolClient): Wire =>
  (client as unknown as { readonly connection: Wire }).connection

function corked<Result>({ stream }: Wire, work: () => Result): Result {
  stream.cork()
  try {
    return work()
  } finally {
    stream.uncork()
  }
}

/** Does work that sends on a connection before it returns. All that it sends is one write. */
export const inOneWrite = <Result>(client: pg.PoolClient, work: () => Result): Result =>
  corked(wireOf(client), work)

/** From now on, statements of this connection are prepared each time. */
export function withoutNamedStatements(client: pg.PoolClient): void {
  stateOf(wireOf(client)).isNameless = true
}

/** From now on, statements of this connection have the settings of their sessions. */
export function withSessionSettings(client: pg.PoolClient, settings: SessionSettings): void {
  stateOf(wireOf(client)).settings = settings
}

/** The settings that a session's statements have on this connection. */
export function settingsFor(client: pg.PoolClient, session: Session): readonly Setting[] {
  const { settings } = stateOf(wireOf(client))
  return settings === undefined ? [] : settingsOfSession(session, settings)
}

/** A statement with the values of its parameters. */
export interface BoundStatement {
  readonly statement: Pick<CompiledStatement, 'name' | 'text'>
  readonly values: ResultRow
}

/** What a statement returned, and how many milliseconds it took. */
export interface StatementResult {
  readonly rows: readonly ResultRow[]
  readonly milliseconds: number
}

/** A statement has failed. The cause is the driver's error. */
export class StatementFailure extends Error {
  /** Its place among those that were sent with it. */
  readonly place: number
  /** How long it took to fail. */
  readonly milliseconds: number

  constructor(place: number, milliseconds: number, cause: Error) {
    super(cause.message, { cause })
    this.place = place
    this.milliseconds = milliseconds
  }
}

/**
 * A run of prepared statements, for the driver. The driver's own query asks for a description of the columns and
 * makes an object of each row. Here every column is text and names aren't needed, so a run is Bind and Execute of each statement,
 * and one Sync, in one write: several statements cost one round trip, and are one transaction. It is a query of the driver's
 * only by its class, because connections that pipeline refuse others: those might wait for a part of their answer.
 *
 * Settings are sent in front of the statements, and end with their transaction.
 */
class StatementQuery extends pg.Query {
  readonly callback: (error: StatementFailure | null, results: readonly StatementResult[]) => void
  readonly #statements: readonly BoundStatement[]
  readonly #settings: readonly Setting[]
  readonly #results: StatementResult[] = []
  #rows: ResultRow[] = []
  /** Of the connection that it was sent on. */
  #state: WireState | undefined
  #sentAt = start
  /** Whether the next statement that completes is that of the settings. */
  #makesSettings: boolean

  constructor(
    statements: readonly BoundStatement[],
    settings: readonly Setting[],
    callback: (error: StatementFailure | null, results: readonly StatementResult[]) => void,
  ) {
    super('')
    this.#statements = statements
    this.#settings = settings
    this.#makesSettings = settings.length > 0
    this.callback = callback
  }

  override readonly submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire
    const state = stateOf(wire)
    this.#state = state
    this.#sentAt = now()
    corked(wire, () => {
      if (this.#settings.length > 0) send(wire, state, setSettings(this.#settings), this.#settings.flat())
      for (const { statement, values } of this.#statements) send(wire, state, statement, values)
      wire.sync()
    })
  }

  handleDataRow({ fields }: { readonly fields: ResultRow }): void {
    this.#rows.push(fields)
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#results)
  }

  /** Which messages were processed is unknown, so the statements are prepared again at their next run. */
  handleError(error: Error): void {
    const { total } = this.#times()
    for (const { statement } of this.#statements) this.#state?.prepared.delete(statement.name)
    this.#state?.prepared.delete(setSettings(this.#settings).name)
    this.callback(new StatementFailure(this.#results.length, total, error), [])
  }

  handleCommandComplete(): void {
    if (this.#makesSettings) {
      this.#makesSettings = false
      return
    }
    const times = this.#times()
    const bound = this.#statements[this.#results.length]
    if (bound !== undefined) noteTimes(bound.statement, times)
    this.#results.push({ rows: this.#rows, milliseconds: times.total })
    this.#rows = []
  }

  /** What the statement took that has just ended. */
  #times(): { readonly wait: number; readonly total: number } {
    if (this.#state === undefined) return { wait: 0, total: 0 }
    const began = later(this.#sentAt, this.#state.answeredAt)
    const ended = now()
    this.#state.answeredAt = ended
    return { wait: ended.idle - began.idle, total: ended.at - began.at }
  }

  // The driver calls these, too; nothing has to be done.
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
}

function send(
  wire: Wire,
  { prepared, isNameless }: WireState,
  { name, text }: Pick<CompiledStatement, 'name' | 'text'>,
  values: ResultRow,
): void {
  const isKept = text.length <= maxPreparedLength && !isNameless
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
 * Runs statements on a connection, each prepared under its name, one after the other in one round trip. They are one
 * transaction, with the settings. Rejects with a StatementFailure: the statements after the one that failed don't run.
 */
export const runStatements = (
  client: pg.PoolClient,
  statements: readonly BoundStatement[],
  settings: readonly Setting[],
): Promise<readonly StatementResult[]> =>
  new Promise((resolve, reject) => {
    client.query(
      new StatementQuery(statements, settings, (error, results) => {
        if (error === null) resolve(results)
        else reject(error)
      }),
    )
  })

/** Runs one statement and returns its rows. Rejects with the driver's error. */
export async function runStatement(
  client: pg.PoolClient,
  statement: BoundStatement,
  settings: readonly Setting[],
): Promise<readonly ResultRow[]> {
  try {
    const [result] = await runStatements(client, [statement], settings)
    return result?.rows ?? []
  } catch (error) {
    throw error instanceof StatementFailure ? error.cause : error
  }
}

/** How many prepared statements a connection has. */
export const preparedCount = (client: pg.PoolClient): number => stateOf(wireOf(client)).prepared.size
