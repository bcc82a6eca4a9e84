import { cachedCheck } from '@commerce-graph/http-server'
import type { Sql } from '@commerce-graph/postgres-driver'
import type { MetricSource, Sample } from '@commerce-graph/telemetry'

interface Labelled {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Counting stops there: a queue that is longer needs the same answer. */
const mostCounted = 100_000
/** Milliseconds. Dead letters are rare, and not all of their tables have an index for them. */
const deadLettersKept = 30_000
/** Programs with a series of their own; any client can name itself as it likes. */
const mostApplications = 40

/** The database's connections and what they wait for. */
export const connectionMetrics = (sql: Sql): MetricSource => ({
  name: 'connections',
  gauges: {
    commerce_postgres_connections: {
      help: 'Connections to this database, by program and state',
      labels: ['application', 'state'],
    },
    commerce_postgres_waiting: {
      help: 'Connections whose statement waits, by what for (Lock, IO, LWLock …)',
      labels: ['wait'],
    },
    commerce_postgres_connections_max: { help: 'max_connections of the server', labels: [] },
    commerce_postgres_oldest_transaction_seconds: {
      help: 'Age of the oldest transaction that is open',
      labels: [],
    },
  },
  async read() {
    const [connections, waiting, [server]] = await Promise.all([
      sql<Labelled[]>`
        SELECT json_build_object('application', coalesce(nullif(left(application_name, 40), ''), 'unnamed'),
            'state', coalesce(state, 'unknown')) AS labels, count(*)::integer AS value
        FROM pg_stat_activity WHERE datname = current_database()
        GROUP BY left(application_name, 40), state ORDER BY count(*) DESC LIMIT ${mostApplications}`,
      sql<Labelled[]>`
        SELECT json_build_object('wait', wait_event_type) AS labels, count(*)::integer AS value
        FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND wait_event_type IS NOT NULL
        GROUP BY wait_event_type`,
      sql<{ max: number; oldest: number }[]>`
        SELECT current_setting('max_connections')::integer AS max,
          coalesce(max(extract(epoch FROM now() - xact_start)), 0)::float8 AS oldest
        FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    ])
    return {
      commerce_postgres_connections: connections,
      commerce_postgres_waiting: waiting,
      commerce_postgres_connections_max: [{ value: server?.max ?? 0 }],
      commerce_postgres_oldest_transaction_seconds: [{ value: server?.oldest ?? 0 }],
    }
  },
})

/** What waits: events at each of their stages, jobs, messages. */
export const backlogMetrics = (sql: Sql): MetricSource => ({
  name: 'backlog',
  gauges: {
    commerce_backlog: {
      help: `What waits at each stage, counted up to ${mostCounted}`,
      labels: ['stage'],
    },
    commerce_backlog_oldest_seconds: {
      help: 'Age of the oldest that waits at each stage',
      labels: ['stage'],
    },
    commerce_queue_jobs: { help: 'Jobs in the queues, by state', labels: ['queue', 'state'] },
    // Prometheus' own label of what it scrapes is called `job`.
    commerce_job_interval_seconds: {
      help: 'Seconds from one run of a job to the next',
      labels: ['schedule'],
    },
    commerce_job_last_success_timestamp_seconds: {
      help: 'When each job last succeeded; until it first does, since when it is scheduled',
      labels: ['schedule'],
    },
    commerce_job_last_failure_timestamp_seconds: { help: 'When each job last failed', labels: ['schedule'] },
  },
  async read() {
    const [stages, jobs, runs] = await Promise.all([
      readStages(sql),
      sql<Labelled[]>`
        SELECT json_build_object('queue', queue, 'state', state) AS labels, count(*)::integer AS value
        FROM bullmq.job WHERE state IN ('waiting', 'active', 'delayed', 'failed') GROUP BY queue, state`,
      sql<{ job: string; every: number; succeeded: number; failed: number | null }[]>`
        SELECT job, every, extract(epoch FROM coalesce(succeeded_at, since))::float8 AS succeeded,
          extract(epoch FROM failed_at)::float8 AS failed
        FROM platform.job_run`,
    ])
    const ofRuns = (read: (run: (typeof runs)[number]) => number | null): readonly Sample[] =>
      runs.flatMap((run) => {
        const value = read(run)
        return value === null ? [] : [{ labels: { schedule: run.job }, value }]
      })
    return {
      commerce_backlog: stages.map(({ stage, waiting }) => ({ labels: { stage }, value: waiting })),
      commerce_backlog_oldest_seconds: stages.map(({ stage, oldest }) => ({
        labels: { stage },
        value: oldest,
      })),
      commerce_queue_jobs: jobs,
      commerce_job_interval_seconds: ofRuns(({ every }) => every / 1_000),
      commerce_job_last_success_timestamp_seconds: ofRuns(({ succeeded }) => succeeded),
      commerce_job_last_failure_timestamp_seconds: ofRuns(({ failed }) => failed),
    }
  },
})

/**
 * The stages in the order in which a change goes through them. Each part is read by an index of what waits. Messages that are not
 * to be sent yet don't count: those of a merchant that isn't active, of a campaign that is paused, for an endpoint that is off unless they are its tests.
 */
const readStages = (sql: Sql) => sql<{ stage: string; waiting: number; oldest: number }[]>`
  SELECT n.stage, count(s.since)::integer AS waiting,
    greatest(coalesce(max(extract(epoch FROM now() - s.since)), 0), 0)::float8 AS oldest
  FROM unnest(ARRAY['hasura', 'queue', 'sequencer', 'email', 'push', 'webhook']) AS n (stage)
  LEFT JOIN (
    (SELECT 'hasura' AS stage, created_at AT TIME ZONE 'UTC' AS since FROM hdb_catalog.event_log
      WHERE NOT delivered AND NOT error AND NOT archived LIMIT ${mostCounted})
    UNION ALL (SELECT 'queue', to_timestamp(added_at_ms / 1000.0) FROM bullmq.job
      WHERE queue = 'events' AND state IN ('waiting', 'active', 'delayed') LIMIT ${mostCounted})
    UNION ALL (SELECT 'sequencer', occurred_at FROM events.change LIMIT ${mostCounted})
    UNION ALL (SELECT 'email', d.next_attempt_at
      FROM email.delivery d
      JOIN merchant.merchant m ON m.id = d.merchant_id AND m.status = 'ACTIVE'
      LEFT JOIN email.campaign c ON c.merchant_id = d.merchant_id AND c.id = d.campaign_id
      WHERE d.status = 'QUEUED' AND NOT d.held AND d.next_attempt_at <= now() AND c.status IS DISTINCT FROM 'PAUSED'
      LIMIT ${mostCounted})
    UNION ALL (SELECT 'push', d.next_attempt_at
      FROM notification.push_delivery d
      JOIN merchant.merchant m ON m.id = d.merchant_id AND m.status = 'ACTIVE'
      WHERE d.status = 'QUEUED' AND d.next_attempt_at <= now() LIMIT ${mostCounted})
    UNION ALL (SELECT 'webhook', d.next_attempt_at
      FROM events.delivery d
      JOIN merchant.merchant m ON m.id = d.merchant_id AND m.status = 'ACTIVE'
      JOIN events.endpoint e ON e.merchant_id = d.merchant_id AND e.id = d.endpoint_id
      WHERE d.status = 'PENDING' AND d.body IS NOT NULL AND d.next_attempt_at <= now()
        AND (e.status = 'ENABLED' OR d.is_test)
      LIMIT ${mostCounted})
  ) s ON s.stage = n.stage
  GROUP BY n.stage`

/** What was given up, and waits for an operator. */
export function deadLetterMetrics(sql: Sql): MetricSource {
  const read = cachedCheck(
    deadLettersKept,
    () => sql<Labelled[]>`
      SELECT json_build_object('kind', kind) AS labels, letters::integer AS value FROM (
        SELECT 'event' AS kind, count(*) AS letters FROM hdb_catalog.event_log WHERE error AND NOT archived
        UNION ALL SELECT 'job', count(*) FROM bullmq.job WHERE state = 'failed'
        UNION ALL SELECT 'email', count(*) FROM email.delivery WHERE status = 'FAILED'
        UNION ALL SELECT 'push', count(*) FROM notification.push_delivery WHERE status = 'FAILED'
        UNION ALL SELECT 'webhook', count(*) FROM events.delivery WHERE status = 'FAILED'
      ) counted`,
  )
  return {
    name: 'dead_letters',
    gauges: {
      commerce_dead_letters: {
        help: 'Events, jobs, e-mails, pushes and webhooks that were given up, read every 30 seconds',
        labels: ['kind'],
      },
    },
    read: async () => ({ commerce_dead_letters: await read() }),
  }
}
