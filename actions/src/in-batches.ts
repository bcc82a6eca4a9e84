/**
 * Repeats a step until it finds less to do than it may do at once: many short transactions instead of one that holds many rows.
 *
 * @param size how much the step deals with at once
 * @param step returns how much it has dealt with
 * @param most ends with the batch that reaches it; never by default
 * @returns how much was dealt with in all
 */
export async function inBatches(
  size: number,
  step: () => Promise<number>,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  let done = 0
  let batch: number
  do {
    batch = await step()
    done += batch
  } while (batch >= size && done < most)
  return done
}
