import postgres from '@commerce-graph/postgres-driver'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlatformError } from './platform-error.ts'
import { unlimited } from './unlimited.ts'

/** Any number that no other advisory lock uses. */
const preparationLock = 7_267_481_001
const pollMs = 200
/** Longer than all migrations take on a large database. */
const timeoutMs = 10 * 60_000

/**
 * Runs work that only one process may do at a time on a database: migrations, metadata and seeds. The lock belongs
 * to a session, so Postgres releases it however the process ends. Throws a PlatformError if another process keeps it
 * for ten minutes.
 *
 * @param onWait is called once, when another process has the lock
 */
export async function preparingAlone<T>(
  databaseUrl: string,
  onWait: () => void,
  work: () => Promise<T>,
): Promise<T> {
  const sql = postgres(databaseUrl, {
    max: 1,
    idle_timeout: 0,
    // A driver that replaces its connection would lose the lock with the old one.
    max_lifetime: null,
    connection: { ...unlimited, application_name: 'platform preparation' },
    onnotice: () => undefined,
  })
  try {
    const deadline = Date.now() + timeoutMs
    const tryLock = async () => {
      const [row] = await sql<{ taken: boolean }[]>`SELECT pg_try_advisory_lock(${preparationLock}) AS taken`
      return row?.taken === true
    }
    for (let waiting = false; !(await tryLock()); waiting = true) {
      if (!waiting) onWait()
      if (Date.now() > deadline)
        throw new PlatformError(
          'Another process has been migrating this database for ten minutes. pg_stat_activity shows it as "platform preparation".',
        )
      await sleep(pollMs)
    }
    return await work()
  } finally {
    await sql.end({ timeout: 5 })
  }
}
