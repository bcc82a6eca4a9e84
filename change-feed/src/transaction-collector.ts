import type { Pgoutput } from 'pg-logical-replication'
import { type CommittedTransaction, parseLsn } from './committed-transaction.ts'

/** What one transaction may name. Beyond it, all rows of the table count as changed, so memory doesn't grow with it. */
export interface CollectorBounds {
  /** Values of the partition column, of one table. */
  readonly values: number
  /** Rows that are looked at, of all tables. */
  readonly rows: number
}

const defaultBounds: CollectorBounds = { values: 1_000, rows: 20_000 }

type RowMessage = Pgoutput.MessageInsert | Pgoutput.MessageUpdate | Pgoutput.MessageDelete

/** Puts the messages of `pgoutput` together to transactions. It keeps which tables and partitions changed, and no row. */
export class TransactionCollector {
  readonly #column: string | undefined
  readonly #bounds: CollectorBounds
  #changes = new Map<number, 'all' | Set<string>>()
  #rows = 0
  #begun: { readonly xid: number; readonly committedAt: number } | undefined

  /** @param column names whose row it is, in the tables that have it */
  constructor(column: string | undefined, bounds: CollectorBounds = defaultBounds) {
    this.#column = column
    this.#bounds = bounds
  }

  /** When the transaction that is being received was committed, in milliseconds of the server's clock. */
  get committedAt(): number | undefined {
    return this.#begun?.committedAt
  }

  begin({ xid, commitTime }: Pick<Pgoutput.MessageBegin, 'xid' | 'commitTime'>): void {
    // The library reads them as signed numbers.
    this.#begun = { xid: xid >>> 0, committedAt: Number(commitTime) / 1_000 }
    this.#changes = new Map()
    this.#rows = 0
  }

  /** Whether a row of this table needs no reading, because all rows count as changed. */
  isSettled(table: number): boolean {
    if (this.#changes.get(table) === 'all') return true
    if (this.#rows < this.#bounds.rows) return false
    this.#changes.set(table, 'all')
    return true
  }

  row(message: RowMessage): void {
    const table = message.relation.relationOid >>> 0
    this.#rows += 1
    const known = this.#changes.get(table)
    if (known === 'all') return
    const values = valuesOf(message, this.#column)
    if (values === undefined) {
      this.#changes.set(table, 'all')
      return
    }
    const changed = known ?? new Set()
    for (const value of values) changed.add(value)
    this.#changes.set(table, changed.size > this.#bounds.values ? 'all' : changed)
  }

  truncate({ relations }: Pgoutput.MessageTruncate): void {
    for (const relation of relations) this.#changes.set(relation.relationOid >>> 0, 'all')
  }

  /** Undefined when the transaction's begin was not received. */
  commit({ commitEndLsn }: Pick<Pgoutput.MessageCommit, 'commitEndLsn'>): CommittedTransaction | undefined {
    const begun = this.#begun
    const changes = this.#changes
    this.#begun = undefined
    this.#changes = new Map()
    return begun && { lsn: parseLsn(commitEndLsn), xid: begun.xid, changes }
  }
}

/**
 * The partitions of a row before and after its change; undefined if they aren't known. Of an old row, Postgres tells the
 * columns of the table's replica identity, and only if one of these has changed.
 */
function valuesOf(message: RowMessage, column: string | undefined): readonly string[] | undefined {
  if (column === undefined) return undefined
  const isOfIdentity = message.relation.keyColumns.includes(column)
  switch (message.tag) {
    case 'insert':
      return texts(message.new[column])
    case 'delete':
      return isOfIdentity ? texts((message.old ?? message.key)?.[column]) : undefined
    case 'update': {
      if (!isOfIdentity) return undefined
      const before = message.old ?? message.key
      return before === null ? texts(message.new[column]) : texts(before[column], message.new[column])
    }
    default:
      return message satisfies never
  }
}

/** The library reads whole numbers as numbers, and other values as text; a column that it doesn't tell is undefined. */
const texts = (...values: readonly unknown[]): readonly string[] | undefined =>
  values.every((value) => typeof value === 'string' || typeof value === 'number')
    ? values.map(String)
    : undefined
