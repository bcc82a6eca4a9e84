import type { Workers } from '@commerce-graph/actions'
import type { FileStorage } from '@commerce-graph/file-storage'
import type { ReadinessCheck } from '@commerce-graph/gateway'
import type { Sql } from '@commerce-graph/postgres-driver'
import { statfs } from 'node:fs/promises'

/** Events and their handling take milliseconds; an event that waits longer than this is stuck. */
const lateEventSeconds = 60
/** Below this, the disk of a shop of any size will soon be full. */
const leastFreeBytes = 512 * 1024 * 1024

/**
 * Checks that the database accepts writes. Creating a table for one transaction needs the disk, the log, the catalog
 * and a server that is no standby, and leaves nothing behind.
 */
export const writesCheck = (sql: Sql): ReadinessCheck => ({
  name: 'writes',
  needed: true,
  find: async () => {
    await sql`CREATE TEMPORARY TABLE write_probe ON COMMIT DROP AS SELECT repeat('x', 100) FROM generate_series(1, 100)`
    return {}
  },
})

/** Checks the free space of the data folder, which holds the embedded Postgres and unsent mails. */
export const diskCheck = (folder: string): ReadinessCheck => ({
  name: 'disk',
  needed: false,
  find: async () => {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const megabytes = Math.floor(free / 1024 / 1024)
    return {
      problem: free < leastFreeBytes ? `${megabytes} MB are left in the data folder` : undefined,
      details: { freeMegabytes: megabytes },
    }
  },
})

/** How many of the files that were shown last are looked for. */
const filesToFind = 3

/**
 * Checks that this process has the files that the database lists: a folder of its own, on one of several machines,
 * doesn't have them, nor does a database that was restored without its files.
 */
export const filesCheck = (sql: Sql, storage: Pick<FileStorage, 'head'>): ReadinessCheck => ({
  name: 'files',
  needed: false,
  find: async () => {
    const listed = await sql<{ key: string }[]>`
      SELECT substr(f.url, length(o.url) + 2) AS key FROM files.file f, files.own_url o
      WHERE f.status = 'READY' AND f.purpose = 'IMAGE' AND starts_with(f.url, o.url || '/')
      ORDER BY f.released_at DESC LIMIT ${filesToFind}`
    const found = await Promise.all(listed.map(({ key }) => storage.head(key)))
    const missing = found.filter((file) => file === null).length
    return {
      problem:
        missing > 0
          ? `${missing} of the ${listed.length} latest files are not in the storage of this process: all machines need the same one`
          : undefined,
    }
  },
})

/** Checks that every maintenance job runs, in any process. */
export const jobsCheck = (workers: Pick<Workers, 'jobRuns'>): ReadinessCheck => ({
  name: 'jobs',
  needed: false,
  find: async () => {
    const runs = await workers.jobRuns()
    const late = runs.filter((run) => run.late).map(({ job }) => job)
    const details = runs.map(({ job, ...run }) => [job, run] as const)
    return {
      problem: late.length > 0 ? `late: ${late.join(', ')}` : undefined,
      details: Object.fromEntries(details),
    }
  },
})

/** Checks that events are delivered, by Hasura to the actions and by their queue to the handlers. */
export const eventsCheck = (sql: Sql, workers: Pick<Workers, 'waitingEvents'>): ReadinessCheck => ({
  name: 'events',
  needed: false,
  find: async () => {
    const [undelivered] = await sql<{ waiting: number; oldest: number }[]>`
      SELECT count(*)::integer AS waiting,
        coalesce(extract(epoch FROM now() - min(created_at AT TIME ZONE 'UTC')), 0)::integer AS oldest
      FROM hdb_catalog.event_log WHERE NOT delivered AND NOT error AND NOT archived`
    const queued = await workers.waitingEvents()
    const oldest = Math.max(undelivered?.oldest ?? 0, queued.oldest)
    const waiting = (undelivered?.waiting ?? 0) + queued.waiting
    return {
      problem: oldest > lateEventSeconds ? `${waiting} events wait, the oldest for ${oldest} s` : undefined,
      details: {
        undelivered: undelivered?.waiting ?? 0,
        queued: queued.waiting,
        failed: queued.failed,
        oldest,
      },
    }
  },
})
