import type pg from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from './start-error.ts'

export interface ReplicaSettings {
  /** Hot standbys of the database, fed by streaming replication. */
  readonly urls: readonly string[]
  /** Milliseconds that what a standby shows may be old; what lags further isn't read. */
  readonly maxLagMs: number
}

export interface Replicas {
  /** Connections to a standby that shows everything that was committed `maxLagMs` ago; undefined: none is known to. */
  choose(): pg.Pool | undefined
  close(): Promise<void>
}

interface Standby {
  readonly pool: pg.Pool
  /** It shows everything that was committed before this moment, by this process's monotonic clock. */
  freshAsOf: number
  /** Why it can't be read, as it was logged last; undefined while it can. */
  trouble: string | undefined
}

interface Position {
  readonly at: number
  /** Everything committed before `at` is in the log up to here. */
  readonly lsn: bigint
}

/** Milliseconds for asking a server where it stands. */
const positionTimeoutMs = 2_000

/**
 * Watches how far the standbys have come. It asks when it is asked, four times in `maxLagMs` at most: an engine that nobody sends
 * requests to that may lag asks nothing, and its first such requests go to the primary.
 *
 * @param primary whose commits acknowledge a flush to disk (`synchronous_commit` isn't `off`)
 */
export function watchReplicas(
  primary: pg.Pool,
  pools: readonly pg.Pool[],
  { maxLagMs, logger }: Pick<ReplicaSettings, 'maxLagMs'> & { readonly logger: Logger },
): Replicas {
  const standbys = pools.map((pool): Standby => ({ pool, freshAsOf: -Infinity, trouble: undefined }))
  let history: readonly Position[] = []
  let asked = -Infinity
  let asking: Promise<void> | undefined
  let turn = 0

  const ask = async (): Promise<void> => {
    const at = performance.now()
    const lsn = await positionOf(primary, 'pg_current_wal_flush_lsn()')
    if (lsn === null) throw new Error('the database that is written to is itself a standby')
    history = [...history.filter((position) => at - position.at <= maxLagMs), { at, lsn }]
    await Promise.all(standbys.map((standby) => look(standby)))
  }
  const look = async (standby: Standby): Promise<void> => {
    try {
      const replayed = await positionOf(standby.pool, 'pg_last_wal_replay_lsn()')
      if (replayed === null) throw new Error('it is no standby')
      const seen = history.findLast(({ lsn }) => lsn <= replayed)
      if (seen !== undefined) standby.freshAsOf = seen.at
      standby.trouble = undefined
    } catch (error) {
      report(standby, reasonOf(error))
    }
  }
  const report = (standby: Standby, reason: string): void => {
    if (standby.trouble === reason) return
    standby.trouble = reason
    logger.warn({ reason }, 'a replica can’t be read; the primary answers in its place')
  }
  const askSometimes = (now: number): void => {
    if (asking !== undefined || now - asked < maxLagMs / 4) return
    asked = now
    asking = ask()
      .catch((error: unknown) =>
        logger.warn({ reason: reasonOf(error) }, 'the position of replicas is not known'),
      )
      .finally(() => (asking = undefined))
  }
  return {
    choose() {
      const now = performance.now()
      askSometimes(now)
      const fresh = standbys.filter(({ freshAsOf }) => now - freshAsOf <= maxLagMs)
      turn = (turn + 1) % Math.max(1, fresh.length)
      return fresh[turn]?.pool
    },
    async close() {
      await asking
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

async function positionOf(pool: pg.Pool, position: string): Promise<bigint | null> {
  const text = `select ((${position}) - '0/0'::pg_lsn)::text as lsn`
  const asked = pool.query<{ lsn: string | null }>({
    text,
    query_timeout: positionTimeoutMs,
  } as pg.QueryConfig)
  const { rows } = await asked
  const lsn = rows[0]?.lsn
  return lsn == null ? null : BigInt(lsn)
}
