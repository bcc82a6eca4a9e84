import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../src/testing/run-command.ts'

const adminSecret = 'of the project'

export const asAdmin = { 'x-hasura-admin-secret': adminSecret }

export type Headers = Readonly<Record<string, string>>

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A running `hasura-embedded` with a project, and what its frontends can send to it. */
export interface RunningProject {
  readonly url: string
  readonly webSocketUrl: string
  /** Stops the process. Resolves with its exit code and its standard error. */
  readonly stop: () => Promise<{ readonly code: number | null; readonly errors: string }>
  /** One request; `body` is sent as JSON. */
  readonly send: (method: string, path: string, headers: Headers, body?: unknown) => Promise<Answer>
  /** Sends a GraphQL request. Returns the body of the answer. */
  readonly ask: (
    query: string,
    headers: Headers,
    variables?: Readonly<Record<string, unknown>>,
  ) => Promise<unknown>
  /** Runs the project's seeds, as `hasura seed apply` does. */
  readonly seed: () => Promise<void>
}

const folderOf = (name: string): string => join(import.meta.dirname, name)

/** Starts `hasura-embedded` on a hasura-cli folder beside this file. `args` say where the data is. */
export async function runProject(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningProject> {
  const folder = folderOf(name)
  const command = await runCommand(
    [
      '--metadata',
      join(folder, 'metadata'),
      '--migrations',
      join(folder, 'migrations'),
      '--port',
      '0',
      ...args,
    ],
    { HASURA_GRAPHQL_ADMIN_SECRET: adminSecret, ...env },
  )
  const { url, stop } = command
  if (url === undefined) throw new Error(`${name} did not start: ${await command.errors}`)
  const send: RunningProject['send'] = async (method, path, headers, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  return {
    url,
    webSocketUrl: `${url.replace('http', 'ws')}/v1/graphql`,
    stop,
    send,
    ask: async (query, headers, variables = {}) =>
      (await send('POST', '/v1/graphql', headers, { query, variables })).body,
    seed: async () => {
      const seeds = join(folder, 'seeds/default')
      const files = (await readdir(seeds)).sort()
      const texts = await Promise.all(files.map((file) => readFile(join(seeds, file), 'utf8')))
      const commands = texts.map((sql) => ({ type: 'run_sql', args: { source: 'default', sql } }))
      const { status, body } = await send('POST', '/v2/query', asAdmin, { type: 'bulk', args: commands })
      if (status !== 200) throw new Error(`the seeds were refused: ${JSON.stringify(body)}`)
    },
  }
}
