/**
 * Limits how often a check runs that callers without credentials may cause. Calls during a run, and for some time after
 * it, share its result, and its error too.
 *
 * @param milliseconds for which a result is kept
 */
export function cachedCheck<T>(milliseconds: number, check: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined
  return () => (kept ??= check().finally(() => setTimeout(() => (kept = undefined), milliseconds).unref()))
}
