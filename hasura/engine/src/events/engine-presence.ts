import pg from 'pg'

/** Any number that no one else uses. */
const presenceLock = 7_267_481_006

/** Tells whether other engines deliver from the same database. */
export interface EnginePresence {
  /** Runs it if no other engine is there, and lets none come in the meantime. */
  whenAlone(run: () => Promise<void>): Promise<void>
  leave(): Promise<void>
}

/**
 * Every engine that delivers holds a shared lock on a connection of its own. Postgres gives it back when the
 * process ends, however it ends; so whoever gets the lock for itself alone knows that what others had locked is
 * no longer in anybody's hands.
 */
export const createPresence = (options: pg.ClientConfig): EnginePresence => {
  let joined: Promise<pg.Client> | undefined

  const join = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...options, application_name: 'hasura-embedded events' })
    const forget = (): void => {
      joined = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [presenceLock])
    return client
  }

  return {
    whenAlone: async (run) => {
      const client = await (joined ??= join().catch((error: unknown) => {
        joined = undefined
        throw error
      }))
      const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
        presenceLock,
      ])
      if (rows[0]?.alone !== true) return
      try {
        await run()
      } finally {
        await client.query('select pg_advisory_unlock($1)', [presenceLock])
      }
    },
    leave: async () => {
      const client = await joined?.catch(() => undefined)
      await client?.end()
    },
  }
}
