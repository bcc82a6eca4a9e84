import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const bin = join(import.meta.dirname, '../../bin/hasura-embedded.ts')

export interface RunningCommand {
  /** The URL that it serves; undefined if it has ended. */
  readonly url: string | undefined
  /** Its standard output so far. */
  readonly said: string
  /** Its whole standard error, once it has ended. */
  readonly errors: Promise<string>
  readonly ended: Promise<number | null>
  /** Sends SIGTERM and waits for the end. */
  readonly stop: () => Promise<{ readonly code: number | null; readonly errors: string }>
}

/** Runs `hasura-embedded` with only this environment, until it ends or prints its URL. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningCommand> {
  const child = spawn(process.execPath, [bin, ...args], { env: { PATH: process.env['PATH'], ...env } })
  const errors = text(child.stderr)
  let said = ''
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    said += chunk.toString()
    if (said.includes('/v1/graphql')) break
  }
  const url = /(http:\S+)\/v1\/graphql/.exec(said)?.[1]
  const ended = new Promise<number | null>((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    return { code: await ended, errors: await errors }
  }
  return { url, said, errors, ended, stop }
}
