/** Work that runs beside other work, up to a bound: what is slow holds up only itself. */
export interface Slots {
  readonly free: number
  /** @param work never rejects */
  run(work: () => Promise<void>): void
  /** Until nothing runs any more. */
  idle(): Promise<void>
}

export function slots(most: number): Slots {
  const running = new Set<Promise<void>>()
  return {
    get free() {
      return most - running.size
    },
    run(work) {
      const run: Promise<void> = work().finally(() => running.delete(run))
      running.add(run)
    },
    async idle() {
      await Promise.all(running)
    },
  }
}
