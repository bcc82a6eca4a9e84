import { setTimeout as sleep } from 'node:timers/promises'
import { mayPass } from './database.ts'

const tries = 30
const pause = 1_000

/**
 * Records what came of something that was sent: what isn't recorded is sent again, so it is tried for half a minute, as long as the
 * failure may pass. Rejects with the last failure.
 */
export async function recordOutcome(record: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await record()
      return
    } catch (error) {
      if (attempt === tries || !mayPass(error)) throw error
      await sleep(pause)
    }
  }
}
