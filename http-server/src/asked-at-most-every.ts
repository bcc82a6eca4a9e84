/**
 * A check that callers without credentials may ask for: all who ask while it runs, and for some time after, get the same answer.
 *
 * @param milliseconds for which an answer is kept
 */
export function askedAtMostEvery<T>(milliseconds: number, check: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined
  return () => (kept ??= check().finally(() => setTimeout(() => (kept = undefined), milliseconds).unref()))
}
