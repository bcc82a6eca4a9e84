/** Work that is asked for more often than it needs to be done. */
export interface Repeated {
  /** Has it done once more, from its beginning; those who ask while it runs share the run after it. */
  ask(): void
  /** Until nothing runs any more. */
  idle(): Promise<void>
}

/** @param work never rejects */
export function repeatedly(work: () => Promise<void>): Repeated {
  let running: Promise<void> | undefined
  let again = false
  const run = async (): Promise<void> => {
    do {
      again = false
      await work()
    } while (askedAgain())
    running = undefined
  }
  const askedAgain = (): boolean => again
  return {
    ask() {
      again = true
      running ??= run()
    },
    idle: () => running ?? Promise.resolve(),
  }
}
