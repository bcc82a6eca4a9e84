import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import type { EngineOptions } from '../../engine-options.ts'
import { type Engine, startEngine } from '../../engine.ts'

/** An answer as the client sees it. `body` is a text when it is no JSON. */
interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface ServedDatabase {
  readonly engine: Engine
  readonly databaseUrl: string
  /** Sends the admin secret, unless the headers have another credential. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** The same, without the answer's headers. */
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Omit<Answer, 'headers'>>
  /** Sends a command to `/v1/metadata`. */
  readonly metadata: (type: string, args?: unknown, version?: 1 | 2) => Promise<Answer>
  readonly runSql: (sql: string) => Promise<Answer>
  readonly close: () => Promise<void>
}

export const adminHeaders = { 'x-hasura-admin-secret': 'secret' }

/** Creates a database with the SQL and serves it by an engine over HTTP, for the tests of one file. */
export async function serveDatabase(
  sql: string,
  options: Partial<EngineOptions> = {},
): Promise<ServedDatabase> {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(sql)
  await client.end()
  const engine = await startEngine({
    databaseUrl: database.url,
    adminSecret: 'secret',
    port: 0,
    logger: pino({ level: 'silent' }),
    ...options,
  })
  const send: ServedDatabase['send'] = async (method, path, body, headers = adminHeaders) => {
    const answer = await fetch(`${engine.url ?? ''}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: answer.status,
      headers: answer.headers,
      body: isJson ? (JSON.parse(text) as unknown) : text,
    }
  }
  return {
    engine,
    databaseUrl: database.url,
    send,
    ask: async (...request) => {
      const { status, body } = await send(...request)
      return { status, body }
    },
    metadata: (type, args = {}, version = 1) => send('POST', '/v1/metadata', { type, args, version }),
    runSql: (text) => send('POST', '/v2/query', { type: 'run_sql', args: { sql: text } }),
    close: async () => {
      await engine.stop()
      await database.drop()
    },
  }
}
