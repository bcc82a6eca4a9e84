import type { MerchantId } from '@commerce-graph/contract/ids'
import type { UserError } from '@commerce-graph/contract/input'
import type { Queryable } from '../../database.ts'
import type { ValidRow } from '../rows/read-row.ts'

/** Something that one row of a file alone may write: its SKU, its number, its address. */
export interface RecordKey {
  readonly kind: string
  readonly key: string
  /** Where the row has it. */
  readonly field: string
}

/** A row as its rows of the database. */
export interface PreparedRecord<Prepared> {
  /** Of this attempt to write it. */
  readonly id: string
  readonly keys: readonly RecordKey[]
  readonly prepared: Prepared
}

export type RecordPrepared<Prepared> =
  | { readonly kind: 'prepared'; readonly record: PreparedRecord<Prepared> }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }

export interface WriteOptions {
  readonly merchantId: MerchantId
  readonly importId: string
  /** Whether records that are here already get the fields of their rows. */
  readonly update: boolean
  /** Whether the transaction is rolled back, so that rows before these may be missing. */
  readonly checkOnly: boolean
}

export interface WrittenRecord {
  readonly id: string
  readonly outcome: 'imported' | 'unchanged' | 'refused'
  /** Of one that is refused. */
  readonly error: UserError | null
}

/** Writes rows of one type. */
export interface RecordWriter<Prepared> {
  prepare(row: ValidRow): RecordPrepared<Prepared>
  /** Writes records that have no key in common, within a transaction. */
  write(
    sql: Queryable,
    records: readonly PreparedRecord<Prepared>[],
    options: WriteOptions,
  ): Promise<readonly WrittenRecord[]>
  /**
   * Whether two batches may be checked at once: without a key in common, no row of one waits for the other's, or they
   * wait in one order.
   */
  readonly checksSideBySide: boolean
  /**
   * Rows that are tried in one transaction, if fewer than are written. Postgres takes tables for empty whose rows were rolled back, and may
   * look each row up among all of the transaction.
   */
  readonly maxRowsTried?: number
  /** The tables whose statistics Postgres needs anew after many rows. */
  readonly tables: readonly string[]
}
