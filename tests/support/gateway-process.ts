import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

/** A gateway process on a platform's database, for tests with several of them. */
export interface GatewayProcess {
  /** Without a path. */
  readonly url: string
  /** The log so far, line by line. */
  readonly log: readonly string[]
  stop(): Promise<void>
}

/** @param env `LIMIT_…` and the gateway's other variables */
export async function startGatewayProcess(
  databaseUrl: string,
  redisUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../bin/gateway.ts')], {
    env: { ...process.env, ...env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  createInterface(child.stderr).on('line', (line) => log.push(line))
  const started = await Promise.race([
    once(createInterface(child.stdout), 'line') as Promise<[string]>,
    once(child, 'exit').then(() => undefined),
  ])
  if (started === undefined) throw new Error(`the gateway has ended: ${log.join('\n')}`)
  return {
    url: started[0],
    log,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
