/** Whose rows of a table a transaction has changed: the values of the partition column; `all` if they aren't known. */
export type ChangedRows = 'all' | ReadonlySet<string>

/** What a committed transaction has changed. */
export interface CommittedTransaction {
  /** The position in the log after its commit. */
  readonly lsn: bigint
  /** Its number, without the epoch. */
  readonly xid: number
  /** By the table's oid. */
  readonly changes: ReadonlyMap<number, ChangedRows>
}

/** A position as Postgres writes it: `0/16B3748`. */
export function parseLsn(text: string | null): bigint {
  const [high, low] = (text ?? '0/0').split('/')
  return (BigInt(`0x${high ?? '0'}`) << 32n) | BigInt(`0x${low ?? '0'}`)
}

export const formatLsn = (lsn: bigint): string =>
  `${(lsn >> 32n).toString(16)}/${(lsn & 0xffff_ffffn).toString(16)}`
