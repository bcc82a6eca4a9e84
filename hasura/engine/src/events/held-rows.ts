import pg from 'pg'

/** The class of advisory locks for each queue. The numbers are arbitrary, but must differ from other locks' classes. */
const lockClasses = {
  event: 726_748_101,
  cron: 726_748_102,
  'one-off': 726_748_103,
  action: 726_748_104,
} as const

export type QueueName = keyof typeof lockClasses

/** The rows that this engine has locked. */
export interface HeldRows {
  /**
   * Runs a statement that locks rows in their table; the returned rows are held. The statement must select `holdSql`,
   * so that no other engine sees a row that is locked but not held.
   */
  take<Row extends { readonly id: string }>(
    queue: QueueName,
    sql: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]>
  /** Runs a statement with `isHeldSql`. */
  look<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Releases a row whose result is recorded. */
  letGo(queue: QueueName, id: string): void
  leave(): Promise<void>
}

/** SQL that holds the row with this id until this engine's session ends. */
export const holdSql = (queue: QueueName, id = 'id'): string =>
  `pg_advisory_lock_shared(${lockClasses[queue]}, hashtext(${id}::text))`

/** SQL for whether any running engine holds the row with this id. */
export const isHeldSql = (queue: QueueName, id = 'id'): string =>
  `(hashtext(${id}::text)::bigint & 4294967295) in (
     select objid::bigint from pg_locks
      where locktype = 'advisory' and classid = ${lockClasses[queue]}::oid and objsubid = 2
        and database = (select oid from pg_database where datname = current_database()))`

/**
 * An engine holds its locked rows by advisory locks on a connection of its own. Postgres releases these locks when the
 * process ends, in any way. So a row that is locked and not held belongs to no running engine.
 */
export function createHeldRows(options: pg.ClientConfig): HeldRows {
  const held = new Map<QueueName, Set<string>>()
  let done: { readonly queue: QueueName; readonly id: string }[] = []
  let joined: Promise<pg.Client> | undefined

  const begin = async (session: pg.Client): Promise<pg.Client> => {
    await session.connect()
    // After a lost connection, this engine still has these deliveries under way.
    for (const [queue, ids] of held)
      await session.query(`select ${holdSql(queue)} from unnest($1::text[]) id`, [[...ids]])
    return session
  }

  const join = (): Promise<pg.Client> => {
    const session = new pg.Client({ ...options, application_name: 'hasura-embedded events' })
    // A lost connection may tell of its end after another has taken its place, which would then keep its locks unused.
    const forget = (): void => {
      if (joined === joining) joined = undefined
    }
    session.on('error', forget)
    session.on('end', forget)
    const joining = begin(session).catch((error: unknown) => {
      forget()
      void session.end().catch(() => undefined)
      throw error
    })
    return joining
  }

  const client = async (): Promise<pg.Client> => {
    const session = await (joined ??= join())
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
