import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { type Engine, startEngine } from '../../engine.ts'
import type { EngineOptions } from '../../engine-options.ts'
import { type WebhookReceiver, startReceiver } from './webhook-receiver.ts'

/** A database, a receiver of webhooks, and engines between them. */
export interface DeliveryWorld {
  readonly database: TestDatabase
  readonly pool: pg.Pool
  /** The receiver that `{{HOOKS}}` in metadata refers to. */
  readonly receiver: WebhookReceiver
  /** Starts another engine on the database. It polls every 20 ms. */
  start(options?: Partial<EngineOptions>): Promise<Engine>
  /** Sends a command with the `headers` to the first running engine, as admin. */
  command(type: string, args: unknown, headers?: Readonly<Record<string, string>>): Promise<unknown>
  stop(engine: Engine): Promise<void>
  close(): Promise<void>
}

const adminSecret = 'secret'

/** Creates the database on the test run's Postgres, or on another `server`. */
export async function openDeliveryWorld(server?: string): Promise<DeliveryWorld> {
  const database = await createTestDatabase(server === undefined ? {} : { server })
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  // Dropping the database may cut a connection that the pool is still closing.
  pool.on('error', () => undefined)
  const receiver = await startReceiver()
  const engines = new Set<Engine>()
  const stop: DeliveryWorld['stop'] = async (engine) => {
    engines.delete(engine)
    await engine.stop()
  }
  return {
    database,
    pool,
    receiver,
    start: async ({ events, ...options } = {}) => {
      const engine = await startEngine({
        databaseUrl: database.url,
        adminSecret,
        port: 0,
        poolSize: 5,
        env: { HOOKS: receiver.url, HOOK_SECRET: 's3cret' },
        events: { fetchIntervalMs: 20, actionsFetchIntervalMs: 20, recoveryIntervalMs: 50, ...events },
        logger: pino({ level: 'silent' }),
        ...options,
      })
      engines.add(engine)
      return engine
    },
    command: async (type, args, headers = {}) => {
      const [engine] = engines
      const endpoint = type === 'run_sql' ? '/v2/query' : '/v1/metadata'
      const answer = await fetch(`${engine?.url ?? ''}${endpoint}`, {
        method: 'POST',
        headers: { 'x-hasura-admin-secret': adminSecret, ...headers },
        body: JSON.stringify({ type, args }),
      })
      return (await answer.json()) as unknown
    },
    stop,
    close: async () => {
      await Promise.all([...engines].map(stop))
      await receiver.close()
      await pool.end()
      await database.drop()
    },
  }
}
