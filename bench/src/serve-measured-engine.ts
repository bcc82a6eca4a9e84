/**
 * The engine in a process of its own that reports its memory: for each message from its parent it collects garbage and
 * sends what is still in use. Run with --expose-gc and an IPC channel:
 *   DATABASE_URL=… node --expose-gc serve-measured-engine.ts    (sends its URL first)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startEngine } from 'hasura-embedded'
import { pino } from 'pino'

export interface MemoryReading {
  readonly rss: number
  readonly heapUsed: number
  /** The size of V8's heap, used or not. */
  readonly heapTotal: number
  readonly external: number
}

const engine = await startEngine({
  databaseUrl: process.env['DATABASE_URL'] ?? '',
  adminSecret: process.env['ADMIN_SECRET'] ?? '',
  port: 0,
  logger: pino({ level: 'warn' }),
})

process.on('message', () => void answer())
process.once('SIGTERM', () => void engine.stop().then(() => process.exit(0)))
process.send?.(engine.url)

/**
 * Collects several times, because what one collection frees may hold what the next one frees. Only last-resort
 * collections return the pages that V8 keeps for later; after other collections, resident memory is the highest that
 * there ever was.
 */
async function answer(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await sleep(100)
  }
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  process.send?.({ rss, heapUsed, heapTotal, external } satisfies MemoryReading)
}
