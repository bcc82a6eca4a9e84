import pg from 'pg'

/** The queues, each with a number of its own for advisory locks; any that nothing else locks. */
const lockClasses = {
  event: 726_748_101,
  cron: 726_748_102,
  'one-off': 726_748_103,
  action: 726_748_104,
} as const

export type QueueName = keyof typeof lockClasses

/** The rows that this engine has locked for itself. */
export interface HeldRows {
  /**
   * Runs a statement that locks rows in their table; what it returns is held. It has `holdSql` among what it returns, so
   * that no other engine sees a row that is locked and not held.
   */
  take<Row extends { readonly id: string }>(
    queue: QueueName,
    sql: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]>
  /** Runs a statement with `isHeldSql`. */
  look<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** What became of the row is recorded; it need not be held any more. */
  letGo(queue: QueueName, id: string): void
  leave(): Promise<void>
}

/** SQL that holds the row with this id, for as long as this engine's session lasts. */
export const holdSql = (queue: QueueName, id = 'id'): string =>
  `pg_advisory_lock_shared(${lockClasses[queue]}, hashtext(${id}::text))`

/** SQL for whether any engine that is still there holds the row with this id. */
export const isHeldSql = (queue: QueueName, id = 'id'): string =>
  `(hashtext(${id}::text)::bigint & 4294967295) in (
     select objid::bigint from pg_locks
      where locktype = 'advisory' and classid = ${lockClasses[queue]}::oid and objsubid = 2
        and database = (select oid from pg_database where datname = current_database()))`

/**
 * An engine holds what it has locked by advisory locks on a connection of its own. Postgres gives them back when the process
 * ends, however it ends; so what is locked and not held is in no hands any more.
 */
export function createHeldRows(options: pg.ClientConfig): HeldRows {
  const held = new Map<QueueName, Set<string>>()
  let done: { readonly queue: QueueName; readonly id: string }[] = []
  let joined: Promise<pg.Client> | undefined

  const join = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...options, application_name: 'hasura-embedded events' })
    const forget = (): void => {
      joined = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    await client.connect()
    // After a connection that was lost: what is under way is still in this engine's hands.
    for (const [queue, ids] of held)
      await client.query(`select ${holdSql(queue)} from unnest($1::text[]) id`, [[...ids]])
    return client
  }

  const client = async (): Promise<pg.Client> => {
    const session = await (joined ??= join().catch((error: unknown) => {
      joined = undefined
      throw error
    }))
    const letGo = done
    done = []
    if (letGo.length > 0)
      await session.query(
        `select pg_advisory_unlock_shared(class, hashtext(id)) from unnest($1::integer[], $2::text[]) l (class, id)`,
        [letGo.map(({ queue }) => lockClasses[queue]), letGo.map(({ id }) => id)],
      )
    return session
  }

  return {
    take: async <Row extends { readonly id: string }>(
      queue: QueueName,
      sql: string,
      values: readonly unknown[],
    ) => {
      const { rows } = await (await client()).query<Row>(sql, [...values])
      const ids = held.get(queue) ?? new Set()
      for (const { id } of rows) ids.add(id)
      held.set(queue, ids)
      return rows
    },
    look: async <Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      (await (await client()).query<Row>(sql, [...values])).rows,
    letGo: (queue, id) => {
      held.get(queue)?.delete(id)
      done.push({ queue, id })
    },
    leave: async () => {
      const session = await joined?.catch(() => undefined)
      await session?.end()
    },
  }
}
