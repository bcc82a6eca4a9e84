import { z } from 'zod'
import { cronTriggerObject } from '../consistency/metadata-object.ts'
import {
  createOneOffEvent,
  deleteScheduledEvent,
  scheduledEvents,
  scheduledInvocations,
} from '../events/scheduled-log.ts'
import { HasuraError } from '../hasura-error.ts'
import { cronTriggerShape, scheduledRetryConf } from '../metadata/event-trigger.ts'
import { json, nonEmptyText, record } from '../metadata/parse.ts'
import type { Metadata } from '../metadata/types.ts'
import { webhookHeader } from '../metadata/webhook.ts'
import { type Command, edit, pageArguments, read, success } from './command.ts'
import { requireTransforms } from './require-transforms.ts'

const createCronTrigger = record({
  ...cronTriggerShape,
  include_in_metadata: z.boolean().default(true),
  replace: z.boolean().default(false),
})

const requireCronTrigger = (metadata: Metadata, name: string): void => {
  if (!metadata.cron_triggers?.some((trigger) => trigger.name === name))
    throw new HasuraError('not-exists', `cron trigger with name: "${name}" does not exist`)
}

const createScheduledEvent = record({
  webhook: nonEmptyText,
  schedule_at: z.iso.datetime({ offset: true }),
  payload: json.optional(),
  headers: z.array(webhookHeader).optional(),
  retry_conf: scheduledRetryConf.optional(),
  comment: z.string().optional(),
})

const eventType = z.enum(['one_off', 'cron'])
const statuses = z.array(z.enum(['scheduled', 'locked', 'delivered', 'error', 'dead'])).default([])

const noSuchEvent = (): HasuraError => new HasuraError('not-exists', 'scheduled event not found')

export const scheduledTriggerCommands: Readonly<Record<string, Command>> = {
  create_cron_trigger: edit(createCronTrigger, async ({ replace, ...trigger }, draft) => {
    requireTransforms(trigger)
    const metadata = draft.snapshot.storedMetadata
    const triggers = metadata.cron_triggers ?? []
    const exists = triggers.some(({ name }) => name === trigger.name)
    if (exists && !replace)
      throw new HasuraError('already-exists', `cron trigger with name: "${trigger.name}" already exists`)
    const cron_triggers = exists
      ? triggers.map((each) => (each.name === trigger.name ? trigger : each))
      : [...triggers, trigger]
    await draft.change({ ...metadata, cron_triggers }, cronTriggerObject(trigger))
  }),

  delete_cron_trigger: edit(record({ name: z.string() }), async ({ name }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireCronTrigger(metadata, name)
    await draft.accept({
      ...metadata,
      cron_triggers: metadata.cron_triggers?.filter((trigger) => trigger.name !== name),
    })
  }),

  get_cron_triggers: read(z.unknown(), (_, { draft }) =>
    Promise.resolve({
      cron_triggers: json.parse(
        JSON.parse(JSON.stringify(draft.snapshot.storedMetadata.cron_triggers ?? [])),
      ),
    }),
  ),

  create_scheduled_event: read(createScheduledEvent, async (event, { pool }) => {
    const id = await createOneOffEvent(pool, {
      webhook: event.webhook,
      scheduleAt: event.schedule_at,
      payload: event.payload,
      headers: event.headers,
      retryConf: event.retry_conf,
      comment: event.comment,
    })
    return { message: 'success', event_id: id }
  }),

  delete_scheduled_event: read(
    record({ type: eventType, event_id: z.string() }),
    async ({ type, event_id }, { pool }) => {
      if (!(await deleteScheduledEvent(pool, type, event_id))) throw noSuchEvent()
      return success
    },
  ),

  get_scheduled_events: read(
    record({ type: eventType, trigger_name: z.string().optional(), status: statuses, ...pageArguments }),
    async ({ type, trigger_name: trigger, status, limit, offset }, { draft, pool }) => {
      if (type === 'cron') requireCronTrigger(draft.snapshot.storedMetadata, trigger ?? '')
      const kind = type === 'cron' ? { type, trigger } : { type }
      return { events: await scheduledEvents(pool, kind, { statuses: status, limit, offset }) }
    },
  ),

  get_scheduled_event_invocations: read(
    record({
      type: eventType,
      trigger_name: z.string().optional(),
      event_id: z.string().optional(),
      ...pageArguments,
    }),
    async ({ type, trigger_name: trigger, event_id: eventId, limit, offset }, { pool }) => {
      const kind = type === 'cron' ? { type, trigger } : { type }
      return { invocations: await scheduledInvocations(pool, { ...kind, eventId }, { limit, offset }) }
    },
  ),
}
