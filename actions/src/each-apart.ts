import { isAway } from './database.ts'

/** With more failures than these it isn't single items that fail. */
const mostFailures = 20

/**
 * Does the work for one item after the other: what one of them fails with doesn't keep the others from theirs. Rejects at the end,
 * with the failure or an AggregateError of all; before the end after 20 failures, and when the database is away, which it is for all.
 *
 * @param work returns how much it did
 * @returns how much was done in all
 */
export async function eachApart<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<number>,
): Promise<number> {
  let done = 0
  const failures: unknown[] = []
  for (const item of items) {
    try {
      done += await work(item)
    } catch (error) {
      if (isAway(error)) throw error
      failures.push(error)
      if (failures.length === mostFailures) break
    }
  }
  const [first] = failures
  if (failures.length === 1) throw first
  if (failures.length > 1)
    throw new AggregateError(failures, `${failures.length} failures, the first: ${String(first)}`)
  return done
}
