import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { ExplainedStatement } from 'hasura-embedded'

export interface BareServer {
  readonly url: string
  stop(): Promise<void>
}

/** As many connections as the engine's pool has by default, so that neither side queues earlier than the other. */
const POOL_SIZE = 20

/** Starts the server that answers with one statement and does nothing else, in a process of its own. */
export async function startBareServer(
  databaseUrl: string,
  statement: ExplainedStatement,
): Promise<BareServer> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'bare-server.ts')], {
    env: {
      ...process.env,
      BARE_STATEMENT: JSON.stringify({ databaseUrl, poolSize: POOL_SIZE, ...statement }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    url,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
