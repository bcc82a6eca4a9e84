import type { ClientBase, Pool } from 'pg'
import { nextTimes } from '../metadata/cron-schedule.ts'
import type { FinishChange } from '../metadata-api/command.ts'
import type { CronTrigger } from '../metadata/types.ts'

/** As many as Hasura plans ahead for each trigger, so that what falls due while no engine runs is delivered later. */
const upcoming = 100

/** Writes the next times of every trigger that has fewer than `upcoming` of them. */
export async function planCronEvents(
  client: ClientBase | Pool,
  triggers: readonly CronTrigger[],
): Promise<void> {
  const { rows } = await client.query<{ trigger_name: string; count: number; last: Date }>(
    `select trigger_name, count(*)::int as count, max(scheduled_time) as last
       from hdb_catalog.hdb_cron_events
      where status = 'scheduled' and scheduled_time > now()
      group by trigger_name`,
  )
  const planned = new Map(rows.map((row) => [row.trigger_name, row]))
  const events = triggers.flatMap(({ name, schedule }) => {
    const known = planned.get(name)
    return nextTimes(schedule, known?.last ?? new Date(), upcoming - (known?.count ?? 0)).map((time) => ({
      name,
      time: time.toISOString(),
    }))
  })
  if (events.length === 0) return
  await client.query(
    `insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
     select name, time from unnest($1::text[], $2::timestamptz[]) as event (name, time)
     on conflict do nothing`,
    [events.map(({ name }) => name), events.map(({ time }) => time)],
  )
}

/** Deletes the planned times of triggers that were removed or rescheduled, and plans those of new ones. */
export const followWithCronEvents: FinishChange = async (client, before, after) => {
  const schedules = new Map(
    (after.metadata.cron_triggers ?? []).map(({ name, schedule }) => [name, schedule]),
  )
  const stale = (before.storedMetadata.cron_triggers ?? [])
    .filter(({ name, schedule }) => schedules.get(name) !== schedule)
    .map(({ name }) => name)
  if (stale.length > 0)
    await client.query(
      `delete from hdb_catalog.hdb_cron_events
        where trigger_name = any($1) and scheduled_time > now() and tries = 0 and status = 'scheduled'`,
      [stale],
    )
  if (schedules.size > 0) await planCronEvents(client, after.metadata.cron_triggers ?? [])
}
