import { setInterval } from 'node:timers'
import type { Logger } from 'pino'
import type { Workspace } from './workspace.ts'

/**
 * Takes over what another engine on the same database changes, looking every `intervalMs`; 0: never. A look that takes longer
 * than the interval is not overtaken. Returns what ends it.
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
      logger.warn({ err: error }, 'could not look for changed metadata')
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
