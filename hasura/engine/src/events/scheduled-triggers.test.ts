import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Engine } from '../engine.ts'
import { type DeliveryWorld, openDeliveryWorld } from './testing/delivery-world.ts'

let world: DeliveryWorld
let engine: Engine

beforeEach(async () => {
  world = await openDeliveryWorld()
  engine = await world.start()
})

afterEach(() => world.close())

const nightly = {
  name: 'nightly',
  webhook: '{{HOOKS}}/nightly',
  schedule: '0 3 * * *',
  include_in_metadata: true,
  payload: { shop: 1 },
  comment: 'rolls up',
  headers: [{ name: 'x-secret', value_from_env: 'HOOK_SECRET' }],
  retry_conf: { num_retries: 1, retry_interval_seconds: 0 },
}

/** Makes the next tick due, as if it had been planned for that time in the past. */
async function makeDue(ago: string): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>(
    `update hdb_catalog.hdb_cron_events set scheduled_time = now() - $1::interval
      where id = (select id from hdb_catalog.hdb_cron_events where status = 'scheduled' order by scheduled_time limit 1)
     returning id`,
    [ago],
  )
  return rows[0]?.id ?? ''
}

async function settled(table: string, id: string): Promise<Readonly<Record<string, unknown>>> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const { rows } = await world.pool.query<Record<string, unknown>>(
      `select * from hdb_catalog.${table} where id = $1`,
      [id],
    )
    const [row] = rows
    if (row && row.status !== 'scheduled' && row.status !== 'locked') return row
    if (Date.now() > deadline) throw new Error(`not settled: ${JSON.stringify(row)}`)
    await sleep(10)
  }
}

test('a cron trigger plans its next hundred times, and is called at each', async () => {
  expect(await world.command('create_cron_trigger', nightly)).toEqual({ message: 'success' })
  const { rows } = await world.pool.query<{ count: number; hours: string[] }>(
    `select count(*)::int, array_agg(distinct to_char(scheduled_time at time zone 'utc', 'HH24:MI')) as hours
       from hdb_catalog.hdb_cron_events where trigger_name = 'nightly'`,
  )
  expect(rows).toEqual([{ count: 100, hours: ['03:00'] }])
  const id = await makeDue('1 hour')
  const [call] = await world.receiver.received(1)
  expect(call).toMatchObject({
    path: '/nightly',
    headers: { 'x-secret': 's3cret' },
    body: { id, name: 'nightly', payload: { shop: 1 }, comment: 'rolls up' },
  })
  expect(Date.parse(String(call?.body.scheduled_time))).toBeLessThan(Date.now())
  expect(await settled('hdb_cron_events', id)).toMatchObject({ status: 'delivered', tries: 1 })
  expect(
    await world.command('get_scheduled_event_invocations', { type: 'cron', trigger_name: 'nightly' }),
  ).toMatchObject({
    invocations: [{ event_id: id, status: 200 }],
  })
})

test('a tick that fails is tried again, and one that is too old is not called at all', async () => {
  await world.command('create_cron_trigger', nightly)
  world.receiver.answer = () => ({ status: 500 })
  expect(await settled('hdb_cron_events', await makeDue('1 hour'))).toMatchObject({
    status: 'error',
    tries: 2,
  })
  expect(await settled('hdb_cron_events', await makeDue('7 hours'))).toMatchObject({
    status: 'dead',
    tries: 0,
  })
  expect(world.receiver.calls).toHaveLength(2)
})

test('a tick of a trigger that this engine does not know yet waits for it, unless it is too old', async () => {
  await world.command('create_cron_trigger', nightly)
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
     values ('elsewhere', now() - interval '1 second'), ('elsewhere', now() - interval '7 hours') returning id`,
  )
  const [id, old] = rows.map((row) => row.id)
  expect(await settled('hdb_cron_events', old ?? '')).toMatchObject({ status: 'dead', tries: 0 })
  const state = async (): Promise<unknown> =>
    (
      await world.pool.query<Record<string, unknown>>(
        'select status, tries, next_retry_at > now() as waits from hdb_catalog.hdb_cron_events where id = $1',
        [id],
      )
    ).rows[0]
  await expect.poll(state).toEqual({ status: 'scheduled', tries: 0, waits: true })
  await world.command('create_cron_trigger', { ...nightly, name: 'elsewhere' })
  await world.pool.query('update hdb_catalog.hdb_cron_events set next_retry_at = now() where id = $1', [id])
  expect(await settled('hdb_cron_events', id ?? '')).toMatchObject({ status: 'delivered', tries: 1 })
})

test('a tick whose next attempt would be too late is dropped', async () => {
  const retryConf = { num_retries: 5, retry_interval_seconds: 1, tolerance_seconds: 3600 }
  await world.command('create_cron_trigger', { ...nightly, retry_conf: retryConf })
  world.receiver.answer = () => ({ status: 500 })
  const id = await makeDue('3599.5 seconds')
  expect(await settled('hdb_cron_events', id)).toMatchObject({ status: 'dead', tries: 1 })
})

test('logs of scheduled events have their format, pages and counts', async () => {
  await world.command('create_cron_trigger', nightly)
  const cron = { type: 'cron', trigger_name: 'nightly' }
  const page = { ...cron, status: ['scheduled'], limit: 2, offset: 1, get_rows_count: true }
  const third = expect.stringMatching(/T03:00:00Z$/) as string
  expect(await world.command('get_scheduled_events', page)).toMatchObject({
    count: 100,
    events: [
      { trigger_name: 'nightly', status: 'scheduled', scheduled_time: third, next_retry_at: null },
      { trigger_name: 'nightly', scheduled_time: third },
    ],
  })
  const id = await makeDue('1 hour')
  await settled('hdb_cron_events', id)
  expect(
    await world.command('get_scheduled_event_invocations', { ...cron, get_rows_count: true }),
  ).toMatchObject({
    count: 1,
    invocations: [
      {
        event_id: id,
        status: 200,
        request: {
          version: '1',
          payload: { id, name: 'nightly' },
          headers: [
            { name: 'Content-Type', value: 'application/json' },
            { name: 'User-Agent', value: 'hasura-graphql-engine/v2.48.0' },
            { name: 'x-secret', value_from_env: 'HOOK_SECRET' },
          ],
        },
        response: { type: 'webhook_response', version: '1' },
        created_at: expect.stringMatching(/^[-0-9]{10}T[:.0-9]{8,15}Z$/) as string,
      },
    ],
  })
  expect(await world.command('get_scheduled_events', { type: 'cron' })).toMatchObject({
    code: 'parse-failed',
  })
  expect(await world.command('get_scheduled_events', { ...cron, trigger_name: 'none' })).toMatchObject({
    code: 'not-exists',
    error: 'cron trigger with name: none does not exist',
  })
})

test('a cron trigger is shown with the defaults for absent settings', async () => {
  const definition = { name: 'plain', webhook: '{{HOOKS}}', schedule: '@daily', include_in_metadata: true }
  await world.command('create_cron_trigger', definition)
  expect(await world.command('get_cron_triggers', {})).toEqual({
    cron_triggers: [
      {
        ...definition,
        headers: [],
        retry_conf: {
          num_retries: 0,
          retry_interval_seconds: 10,
          timeout_seconds: 60,
          tolerance_seconds: 21600,
        },
      },
    ],
  })
})

test('planned times follow the schedule, and are deleted with the trigger', async () => {
  const times = async (): Promise<number> =>
    (await world.pool.query('select from hdb_catalog.hdb_cron_events')).rowCount ?? 0
  await world.command('create_cron_trigger', nightly)
  expect(await world.command('create_cron_trigger', nightly)).toMatchObject({
    code: 'already-exists',
    error: 'cron trigger with name: nightly already exists',
  })
  const other = { ...nightly, name: 'other', replace: true }
  expect(await world.command('create_cron_trigger', other)).toMatchObject({ code: 'not-exists' })
  await world.command('create_cron_trigger', { ...nightly, schedule: '*/5 * * * *', replace: true })
  expect(await times()).toBe(100)
  const { rows } = await world.pool.query(
    `select max(scheduled_time) < now() + interval '9 hours' as soon from hdb_catalog.hdb_cron_events`,
  )
  expect(rows).toEqual([{ soon: true }])
  expect(await world.command('create_cron_trigger', { ...nightly, schedule: 'sometimes' })).toMatchObject({
    code: 'parse-failed',
    path: '$.schedule',
  })
  expect(await world.command('delete_cron_trigger', { name: 'nightly' })).toEqual({ message: 'success' })
  expect(await times()).toBe(0)
})

test('a trigger that is not part of the metadata survives its replacement', async () => {
  await world.command('create_cron_trigger', { ...nightly, include_in_metadata: false })
  const exported = await world.command('export_metadata', {})
  expect(exported).not.toHaveProperty('cron_triggers')
  await world.command('replace_metadata', exported)
  expect(await world.command('get_cron_triggers', {})).toMatchObject({ cron_triggers: [{ name: 'nightly' }] })
})

test('a one-off event is delivered at its time, with its payload and headers', async () => {
  const answer = (await world.command('create_scheduled_event', {
    webhook: '{{HOOKS}}/once',
    schedule_at: new Date(Date.now() + 500).toISOString(),
    payload: { amount: 1 },
    headers: [{ name: 'x-kind', value: 'once' }],
    comment: 'reminder',
  })) as { message: string; event_id: string }
  expect(answer.message).toBe('success')
  await sleep(200)
  expect(world.receiver.calls).toHaveLength(0)
  const [call] = await world.receiver.received(1)
  expect(call).toMatchObject({
    path: '/once',
    headers: { 'x-kind': 'once' },
    body: { id: answer.event_id, payload: { amount: 1 }, comment: 'reminder' },
  })
  await settled('hdb_scheduled_events', answer.event_id)
  expect(
    await world.command('get_scheduled_events', { type: 'one_off', status: ['delivered'] }),
  ).toMatchObject({
    events: [
      {
        id: answer.event_id,
        status: 'delivered',
        webhook_conf: '{{HOOKS}}/once',
        header_conf: [{ name: 'x-kind', value: 'once' }],
        retry_conf: { num_retries: 0, tolerance_seconds: 21600 },
      },
    ],
  })
  expect(
    await world.command('delete_scheduled_event', { type: 'one_off', event_id: answer.event_id }),
  ).toEqual({
    message: 'success',
  })
})

test('events that a killed engine had locked are delivered by the next engine', async () => {
  await world.stop(engine)
  await world.pool.query(`
    insert into hdb_catalog.hdb_scheduled_events (webhook_conf, scheduled_time, status)
    values ('"{{HOOKS}}/left"', now() - interval '1 minute', 'locked')`)
  engine = await world.start()
  const [call] = await world.receiver.received(1)
  expect(call).toMatchObject({ path: '/left', body: { payload: null } })
})
