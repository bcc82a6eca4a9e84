import { inspect } from 'node:util'
import { errorForLog } from './error-for-log.ts'

/** Why the process ends. */
export type Ending =
  /** A process manager sends `SIGTERM` and routes traffic elsewhere; Ctrl-C comes from a waiting person. */
  | { readonly kind: 'asked'; readonly signal: NodeJS.Signals }
  /** Something has failed that nothing here handles; what runs is in an unknown state. */
  | { readonly kind: 'uncaught' }

/** Repetitions of Ctrl-C within this time count as one: the terminal, npm and scripts/run.mjs each send it. */
const sameRequestMs = 1_000

/**
 * Settles with the first reason to end: a signal, or an uncaught error, which is written to standard error in full.
 * A later signal ends the process at once, with code 1; Postgres ends with it.
 */
export const firstEnding = (): Promise<Ending> =>
  new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        askedAt ??= performance.now()
        if (performance.now() - askedAt > sameRequestMs) {
          console.error('Ending at once.')
          process.exit(1)
        }
        resolve({ kind: 'asked', signal })
      })
    }
    process.on('uncaughtException', (error, origin) => {
      console.error(`${origin}: ${inspect(errorForLog(error), { depth: 8 })}`)
      resolve({ kind: 'uncaught' })
    })
  })
