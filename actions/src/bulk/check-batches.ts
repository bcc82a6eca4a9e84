import type { Database } from '../database.ts'
import { type Batch, keysOf } from './batches.ts'
import { writerOf } from './records/record-writers.ts'
import { type ImportUnderWay, noteTried, type TriedBatch, tryBatch } from './write-batch.ts'

interface BatchUnderWay {
  readonly batch: Batch
  readonly tried: Promise<readonly TriedBatch[]>
}

/**
 * Tries batches, and notes each in the order of the file. Where their writer allows it, a batch is tried while the one
 * before it is: what both leave is rolled back. Yields each batch when it is noted, and whether the import goes on.
 */
export async function* checkBatches(
  database: Database,
  job: ImportUnderWay,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<{ readonly batch: Batch; readonly goesOn: boolean }> {
  let before: BatchUnderWay | undefined
  const noted = async ({ batch, tried }: BatchUnderWay) => ({
    batch,
    goesOn: await noteTried(database, job, await tried),
  })
  try {
    for await (const batch of batches) {
      if (before !== undefined && !mayRunBeside(before.batch, batch)) {
        yield await noted(before)
        before = undefined
      }
      const tried = tryBatch(database, job, batch)
      // Its failure is reported when it is its turn.
      tried.catch(() => undefined)
      const last = before
      before = { batch, tried }
      if (last !== undefined) yield await noted(last)
    }
    if (before !== undefined) yield await noted(before)
  } finally {
    await before?.tried.catch(() => undefined)
  }
}

/** A key of both is found taken only when the first is noted. */
function mayRunBeside(one: Batch, other: Batch): boolean {
  if (one.type === null || one.type !== other.type || !writerOf(one.type).checksSideBySide) return false
  return new Set(one.entries.flatMap(keysOf)).isDisjointFrom(new Set(other.entries.flatMap(keysOf)))
}
