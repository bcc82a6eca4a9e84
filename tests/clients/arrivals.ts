/** The messages of a subscription, taken one after the other. */
export interface Arrivals<T> {
  /** The next one that is wanted, or a failure after ten seconds without. */
  readonly next: (wanted?: (value: T) => boolean) => Promise<T>
  readonly stop: () => void
}

const patienceMs = 10_000

/** Subscribes at once. `subscribe` gets what takes a value, and returns what ends the subscription. */
export function arrivals<T>(subscribe: (arrive: (value: T) => void) => () => void): Arrivals<T> {
  const waiting: T[] = []
  let wake = (): void => undefined
  const stop = subscribe((value) => {
    waiting.push(value)
    wake()
  })
  const next = async (wanted: (value: T) => boolean = () => true): Promise<T> => {
    for (;;) {
      const [first, ...rest] = waiting
      if (first === undefined) {
        await untilWoken()
        continue
      }
      waiting.splice(0, waiting.length, ...rest)
      if (wanted(first)) return first
    }
  }
  const untilWoken = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('nothing arrived')), patienceMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  return { next, stop }
}
