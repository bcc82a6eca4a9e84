import { setInterval } from 'node:timers'
import type { Logger } from 'pino'
import type { Workspace } from './workspace.ts'

/**
 * Polls for changes of another engine on the same database every `intervalMs` milliseconds (0: never), and takes them
 * over. Polls don't overlap. Returns a function that ends the polling.
 */
export function pollMetadata(workspace: Workspace, logger: Logger, intervalMs: number): () => void {
  if (intervalMs === 0) return () => undefined
  let looking = false
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    try {
      await workspace.synchronize()
    } catch (error) {
      logger.warn({ err: error }, 'could not poll for changed metadata')
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
