import { allEnded } from './all-ended.ts'

/**
 * Does the work for each item, for up to `atOnce` of them at the same time. After a failure nothing new is begun; it rejects with that
 * when what was under way has ended.
 */
export async function inParallel<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  let failed = false
  const lane = async (): Promise<void> => {
    for (const item of rest) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await allEnded(Array.from({ length: Math.min(atOnce, items.length) }, lane))
}
