import type { ReadinessCheck } from '@commerce-graph/gateway'
import type { Sql } from '@commerce-graph/postgres-driver'
import type { MetricSource } from '@commerce-graph/telemetry'

interface Failing {
  /** The segment of the log that waits. */
  readonly segment: string
  /** When the latest one was archived. */
  readonly last: Date | null
}

/** Undefined while the log is archived. */
async function readFailing(sql: Sql): Promise<Failing | undefined> {
  const [failing] = await sql<Failing[]>`
    SELECT last_failed_wal AS segment, last_archived_time AS last FROM pg_stat_archiver
    WHERE last_failed_time > coalesce(last_archived_time, '-infinity')`
  return failing
}

/** Checks that our own Postgres archives its log. What can't be archived stays in the data folder, until its disk is full. */
export const archiveCheck = (sql: Sql): ReadinessCheck => ({
  name: 'archive',
  needed: false,
  find: async () => {
    const failing = await readFailing(sql)
    if (failing === undefined) return {}
    const { segment, last } = failing
    const latest = last === null ? 'none was yet' : `the latest was at ${last.toISOString()}`
    return { problem: `the log can't be archived to BACKUP_FOLDER: ${segment} waits, and ${latest}` }
  },
})

export const archiveMetrics = (sql: Sql): MetricSource => ({
  name: 'archive',
  gauges: {
    commerce_archive_failing: {
      help: '1 while the log of our own Postgres can’t be archived to BACKUP_FOLDER',
      labels: [],
    },
  },
  read: async () => ({
    commerce_archive_failing: [{ value: (await readFailing(sql)) === undefined ? 0 : 1 }],
  }),
})
