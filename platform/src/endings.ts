import { inspect } from 'node:util'
import { errorForLog } from './error-for-log.ts'

/** Why the process is to end. */
export type Ending =
  /** `SIGTERM` comes from what runs processes, and moves their traffic elsewhere; Ctrl-C from a person who waits. */
  | { readonly kind: 'asked'; readonly signal: NodeJS.Signals }
  /** Something has failed that nothing here handles; what runs is in an unknown state. */
  | { readonly kind: 'uncaught' }

/** Ctrl-C arrives more than once within this time: from the terminal, from npm and from scripts/run.mjs. */
const sameRequestMs = 1_000

/**
 * Settles with the first reason to end: a signal, or an error that nothing has caught, which is written to standard error
 * whole. A later signal of someone who has lost patience ends the process at once, with code 1; Postgres ends with it.
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
