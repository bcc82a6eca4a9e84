import type { CommittedTransaction } from './committed-transaction.ts'

/** Rows that an answer was made of: by the table's oid, whose they are; undefined: anyone's. */
export type ReadRows = ReadonlyMap<number, string | undefined>

/** The places of the last changes of a table, in the order of the commits. */
interface LastChanges {
  /** Of a row of anyone's. */
  any: number
  /** Of rows whose owner isn't known, which may be everyone's. */
  all: number
  readonly byPartition: Map<string, number>
}

/** With more partitions, a table's older changes count as everyone's: answers are then read again without need. */
const mostPartitions = 10_000

/** When rows of a table were changed last. A table takes the same memory however often it is changed. */
export class ChangeHistory {
  readonly #tables = new Map<number, LastChanges>()

  /** @param place of the commit among all commits; those that come later are greater */
  note(changes: CommittedTransaction['changes'], place: number): void {
    for (const [oid, whose] of changes) {
      const table = this.#tables.get(oid) ?? { any: 0, all: 0, byPartition: new Map<string, number>() }
      this.#tables.set(oid, table)
      if (table.byPartition.size > mostPartitions) {
        table.byPartition.clear()
        table.all = table.any
      }
      table.any = place
      if (whose === 'all') table.all = place
      else for (const partition of whose) table.byPartition.set(partition, place)
    }
  }

  /** The place of the last commit that changed any of these rows; 0: none that was noted. */
  lastChange(reads: ReadRows): number {
    let last = 0
    for (const [oid, partition] of reads) {
      const table = this.#tables.get(oid)
      if (table === undefined) continue
      const { any, all, byPartition } = table
      last = Math.max(last, partition === undefined ? any : Math.max(all, byPartition.get(partition) ?? 0))
    }
    return last
  }
}
