import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { ExplainedStatement } from 'hasura-embedded'

/** A server in a process of its own, so that the load generator doesn't share its thread. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** The default size of the engine's pool, for all contenders alike. */
export const poolSize = 20

/** Starts a script that prints its URL in its first line, and resolves when it has. */
export async function startServerProcess(
  script: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const firstLine = once(createInterface(child.stdout), 'line') as Promise<[string]>
  const [line] = await Promise.race([
    firstLine,
    exited.then(([code]) => Promise.reject(new Error(`${script} ended with ${String(code)}`))),
  ])
  const url = /https?:\S+/.exec(line)?.[0]
  if (url === undefined || child.pid === undefined) throw new Error(`${script} printed no URL: ${line}`)
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** The server that answers with one statement and does nothing else. */
export const startBareServer = (
  databaseUrl: string,
  field: string,
  statement: ExplainedStatement,
): Promise<ServerProcess> =>
  startServerProcess(path.join(import.meta.dirname, 'bare-server.ts'), {
    BARE_STATEMENT: JSON.stringify({ databaseUrl, field, poolSize, ...statement }),
  })
