import type { Database } from '../database.ts'

/** Does a run of a job, and writes down how it ended. Rejects as the run does. */
export async function recordingRun<T>(database: Database, job: string, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run()
    await database`
      UPDATE platform.job_run SET succeeded_at = now() WHERE job = ${job}`
    return result
  } catch (error) {
    const failure = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    await database`
      UPDATE platform.job_run SET failed_at = now(), failure = ${failure} WHERE job = ${job}`
      // The run's own failure is the one to tell.
      .catch(() => undefined)
    throw error
  }
}

/** The latest runs of a job, in any process. */
export interface JobRun {
  readonly job: string
  /** ISO 8601; null: never. */
  readonly succeededAt: string | null
  readonly failedAt: string | null
  /** Why it last failed. */
  readonly failure: string | null
  /** Whether it should have come to its end again by now. */
  readonly late: boolean
}

/** A job that hasn't come to its end for three times as long as it should, and a minute at least, doesn't run. */
export const jobRuns = async (database: Database): Promise<readonly JobRun[]> => database<JobRun[]>`
    SELECT job, to_json(succeeded_at) #>> '{}' AS "succeededAt", to_json(failed_at) #>> '{}' AS "failedAt", failure,
      greatest(succeeded_at, since) < now() - greatest(interval '1 minute', make_interval(secs => every * 3 / 1000.0)) AS late
    FROM platform.job_run ORDER BY job`

/** Makes each job known before its first run, so that one that never runs is seen. */
export async function expectRuns(
  database: Database,
  jobs: readonly { readonly job: string; readonly every: number }[],
): Promise<void> {
  await database`
    INSERT INTO platform.job_run (job, every)
    SELECT * FROM unnest(${jobs.map(({ job }) => job)}::text[], ${jobs.map(({ every }) => every)}::integer[])
    ON CONFLICT (job) DO UPDATE SET every = excluded.every, since = excluded.since`
}
