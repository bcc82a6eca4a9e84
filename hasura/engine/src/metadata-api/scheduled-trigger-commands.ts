import { z } from 'zod'
import { cronTriggerObject } from '../consistency/metadata-object.ts'
import {
  type CountedRows,
  type ScheduledKind,
  type ScheduledPage,
  createOneOffEvent,
  deleteScheduledEvent,
  scheduledEvents,
  scheduledInvocations,
} from '../events/scheduled-log.ts'
import { HasuraError } from '../hasura-error.ts'
import { cronTriggerShape, scheduledRetryConf, scheduledRetryDefaults } from '../metadata/event-trigger.ts'
import { json, nonEmptyText, record } from '../metadata/parse.ts'
import type { CronTrigger, Metadata } from '../metadata/types.ts'
import { webhookHeader } from '../metadata/webhook.ts'
import { type Command, act, edit, maxPage, pageArguments, read, success } from './command.ts'
import { requireTransforms } from './require-transforms.ts'

const createCronTrigger = record({
  ...cronTriggerShape,
  replace: z.boolean().default(false),
})

function requireCronTrigger(metadata: Metadata, name: string): void {
  if (!metadata.cron_triggers?.some((trigger) => trigger.name === name))
    throw new HasuraError('not-exists', `cron trigger with name: ${name} does not exist`)
}

const createScheduledEvent = record({
  webhook: nonEmptyText,
  schedule_at: z.iso.datetime({ offset: true }),
  payload: json.optional(),
  headers: z.array(webhookHeader).default([]),
  retry_conf: scheduledRetryConf.default({}),
  comment: z.string().optional(),
})

const eventType = z.enum(['one_off', 'cron'])
const statuses = z.array(z.enum(['scheduled', 'locked', 'delivered', 'error', 'dead'])).default([])

/** Without a limit, Hasura answers all rows; this engine at most `maxPage`. */
const scheduledPage = {
  limit: pageArguments.limit.default(maxPage),
  offset: pageArguments.offset,
  get_rows_count: z.boolean().default(false),
}

const pageOf = (args: {
  readonly limit: number
  readonly offset: number
  readonly get_rows_count: boolean
}): ScheduledPage => ({ limit: args.limit, offset: args.offset, counted: args.get_rows_count })

const countOf = ({ count }: CountedRows): { readonly count?: number } =>
  count === undefined ? {} : { count }

/** Throws HasuraError for the type `cron` without the name of an existing trigger. */
function kindOf(metadata: Metadata, type: ScheduledKind['type'], trigger: string | undefined): ScheduledKind {
  if (type === 'one_off') return { type }
  if (trigger === undefined) throw new HasuraError('parse-failed', 'key "trigger_name" not found')
  requireCronTrigger(metadata, trigger)
  return { type, trigger }
}

/** Hasura's answers include defaults, which its exported metadata leaves out. */
const spelledOut = ({ retry_conf, headers = [], ...trigger }: CronTrigger): CronTrigger => ({
  ...trigger,
  retry_conf: { ...scheduledRetryDefaults, ...retry_conf },
  headers,
})

const noSuchEvent = (): HasuraError => new HasuraError('not-exists', 'scheduled event not found')

export const scheduledTriggerCommands: Readonly<Record<string, Command>> = {
  create_cron_trigger: edit(createCronTrigger, async ({ replace, ...trigger }, draft) => {
    requireTransforms(trigger)
    const metadata = draft.snapshot.storedMetadata
    const triggers = metadata.cron_triggers ?? []
    const exists = triggers.some(({ name }) => name === trigger.name)
    if (replace) requireCronTrigger(metadata, trigger.name)
    else if (exists)
      throw new HasuraError('already-exists', `cron trigger with name: ${trigger.name} already exists`)
    const cronTriggers = exists
      ? triggers.map((each) => (each.name === trigger.name ? trigger : each))
      : [...triggers, trigger]
    await draft.change({ ...metadata, cron_triggers: cronTriggers }, cronTriggerObject(trigger))
  }),

  delete_cron_trigger: edit(record({ name: z.string() }), async ({ name }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireCronTrigger(metadata, name)
    await draft.accept({
      ...metadata,
      cron_triggers: metadata.cron_triggers?.filter((trigger) => trigger.name !== name),
    })
  }),

  get_cron_triggers: read(z.unknown(), (_, { draft }) => {
    const triggers = draft.snapshot.storedMetadata.cron_triggers ?? []
    return Promise.resolve({
      cron_triggers: json.parse(JSON.parse(JSON.stringify(triggers.map(spelledOut)))),
    })
  }),

  create_scheduled_event: act(createScheduledEvent, async (event, { pool }) => {
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

  delete_scheduled_event: act(
    record({ type: eventType, event_id: z.string() }),
    async ({ type, event_id }, { pool }) => {
      if (!(await deleteScheduledEvent(pool, type, event_id))) throw noSuchEvent()
      return success
    },
  ),

  get_scheduled_events: read(
    record({ type: eventType, trigger_name: z.string().optional(), status: statuses, ...scheduledPage }),
    async ({ type, trigger_name: trigger, status, ...page }, { draft, pool }) => {
      const kind = kindOf(draft.snapshot.storedMetadata, type, trigger)
      const found = await scheduledEvents(pool, kind, { statuses: status, ...pageOf(page) })
      return { ...countOf(found), events: found.rows }
    },
  ),

  get_scheduled_event_invocations: read(
    record({
      type: eventType,
      trigger_name: z.string().optional(),
      event_id: z.string().optional(),
      /** From an example in Hasura's documentation; without effect in both engines. */
      status: statuses,
      ...scheduledPage,
    }),
    async ({ type, trigger_name: trigger, event_id: eventId, ...page }, { draft, pool }) => {
      const kind =
        eventId === undefined ? kindOf(draft.snapshot.storedMetadata, type, trigger) : { type, trigger }
      const found = await scheduledInvocations(pool, { ...kind, eventId }, pageOf(page))
      return { ...countOf(found), invocations: found.rows }
    },
  ),
}
