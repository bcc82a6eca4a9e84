import { z } from 'zod'
import { eventTriggerObject } from '../consistency/metadata-object.ts'
import {
  eventById,
  eventInvocationLogs,
  eventLogs,
  insertManualEvent,
  redeliverEvent,
} from '../events/event-log.ts'
import { HasuraError } from '../hasura-error.ts'
import { editTable, findEventTrigger } from '../metadata/edit-metadata.ts'
import { operation, retryConf } from '../metadata/event-trigger.ts'
import { json, nonEmptyText, record } from '../metadata/parse.ts'
import { qualifiedKey } from '../metadata/qualified-name.ts'
import type { EventTrigger, Metadata } from '../metadata/types.ts'
import { requestTransform, responseTransform, webhookHeader } from '../metadata/webhook.ts'
import { traceSetting } from '../tracing/trace-context.ts'
import {
  type Command,
  act,
  edit,
  pageArguments,
  read,
  requireSource,
  requireTable,
  sourceName,
  success,
  tableArguments,
} from './command.ts'
import { requireTransforms } from './require-transforms.ts'

/** Postgres truncates longer names of functions, and the function's name contains the trigger's. */
const longestName = 42

export const triggerNamePattern = /^[A-Za-z0-9_-]+$/

const triggerName = nonEmptyText
  .regex(triggerNamePattern, { error: 'only alphanumeric and underscore and hyphens allowed for name' })
  .max(longestName, { error: `event trigger name can be at most ${longestName} characters` })

const createEventTrigger = record({
  name: triggerName,
  ...tableArguments,
  insert: operation.optional(),
  update: operation.optional(),
  delete: operation.optional(),
  enable_manual: z.boolean().default(false),
  retry_conf: retryConf.optional(),
  webhook: z.string().optional(),
  webhook_from_env: z.string().optional(),
  headers: z.array(webhookHeader).optional(),
  replace: z.boolean().default(false),
  request_transform: requestTransform.optional(),
  response_transform: responseTransform.optional(),
  cleanup_config: json.optional(),
  trigger_on_replication: z.boolean().optional(),
}).superRefine((args, context) => {
  const problem = definitionProblem(args)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})
type CreateEventTrigger = z.output<typeof createEventTrigger>

function definitionProblem(
  args: Pick<
    CreateEventTrigger,
    'insert' | 'update' | 'delete' | 'enable_manual' | 'webhook' | 'webhook_from_env'
  >,
): string | undefined {
  if (!args.insert && !args.update && !args.delete && !args.enable_manual)
    return 'atleast one amongst insert/update/delete/enable_manual spec must be provided'
  const operations = [args.insert, args.update, args.delete]
  if (operations.some((specification) => specification?.columns.length === 0))
    return 'found empty column specification'
  if (operations.some((specification) => specification?.payload?.length === 0))
    return 'found empty payload specification'
  if (args.webhook !== undefined && args.webhook_from_env !== undefined)
    return 'only one of webhook or webhook_from_env should be given'
  if (args.webhook === undefined && args.webhook_from_env === undefined)
    return 'must provide webhook or webhook_from_env'
  return undefined
}

const defaultRetryConf = { num_retries: 0, interval_sec: 10, timeout_sec: 60 }

const triggerOf = (args: CreateEventTrigger): EventTrigger => ({
  name: args.name,
  definition: {
    enable_manual: args.enable_manual,
    insert: args.insert,
    update: args.update,
    delete: args.delete,
  },
  retry_conf: { ...defaultRetryConf, ...args.retry_conf },
  webhook: args.webhook,
  webhook_from_env: args.webhook_from_env,
  headers: args.headers,
  request_transform: args.request_transform,
  response_transform: args.response_transform,
  cleanup_config: args.cleanup_config,
  trigger_on_replication: args.trigger_on_replication,
})

/** The metadata with the trigger added or replaced. */
function putTrigger(metadata: Metadata, args: CreateEventTrigger): Metadata {
  const { source, table, name, replace } = args
  requireTable(metadata, source, table)
  const trigger = triggerOf(args)
  const existing = findEventTrigger(metadata, source, name)
  if (existing && !replace)
    throw new HasuraError('already-exists', `Event trigger with name "${name}" already exists`)
  if (!existing && replace) throw noSuchTrigger(name)
  if (existing && qualifiedKey(existing.table) !== qualifiedKey(table))
    throw new HasuraError('not-supported', 'cannot replace table or schema for trigger')
  return editTable(metadata, source, table, (entry) => {
    const triggers = entry.event_triggers ?? []
    return {
      ...entry,
      event_triggers: existing
        ? triggers.map((each) => (each.name === name ? trigger : each))
        : [...triggers, trigger],
    }
  })
}

const noSuchTrigger = (name: string): HasuraError =>
  new HasuraError('not-exists', `event trigger "${name}" does not exist`)

function requireTrigger(metadata: Metadata, source: string, name: string) {
  requireSource(metadata, source)
  const found = findEventTrigger(metadata, source, name)
  if (!found) throw noSuchTrigger(name)
  return found
}

export const eventTriggerCommands: Readonly<Record<string, Command>> = {
  pg_create_event_trigger: edit(createEventTrigger, async (args, draft) => {
    requireTransforms(args)
    await draft.change(
      putTrigger(draft.snapshot.storedMetadata, args),
      eventTriggerObject(args.source, args.table, triggerOf(args)),
    )
  }),

  pg_delete_event_trigger: edit(record({ name: z.string(), source: sourceName }), async (args, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { table } = requireTrigger(metadata, args.source, args.name)
    await draft.accept(
      editTable(metadata, args.source, table, (entry) => ({
        ...entry,
        event_triggers: entry.event_triggers?.filter(({ name }) => name !== args.name),
      })),
    )
  }),

  pg_redeliver_event: act(record({ event_id: z.string(), source: sourceName }), async (args, { pool }) => {
    const outcome = await redeliverEvent(pool, args.event_id)
    switch (outcome) {
      case 'marked':
        return success
      case 'absent':
        throw new HasuraError('not-exists', 'event not found')
      case 'locked':
        throw new HasuraError('busy', 'event is already being processed')
      default:
        return outcome satisfies never
    }
  }),

  pg_invoke_event_trigger: act(
    record({ name: z.string(), source: sourceName, payload: json }),
    async ({ name, source, payload }, { draft, pool, session, trace }) => {
      const { table, trigger } = requireTrigger(draft.snapshot.metadata, source, name)
      if (trigger.definition.enable_manual !== true)
        throw new HasuraError('not-supported', 'manual mode is not enabled for event trigger')
      const settings = { user: JSON.stringify(session.variables), trace: traceSetting(trace()) }
      return { event_id: await insertManualEvent(pool, { table, trigger: name, payload }, settings) }
    },
  ),

  pg_get_event_logs: read(
    record({
      name: z.string(),
      source: sourceName,
      status: z.enum(['pending', 'processed', 'error']).optional(),
      ...pageArguments,
    }),
    (args, { draft, pool }) => {
      requireTrigger(draft.snapshot.storedMetadata, args.source, args.name)
      return eventLogs(pool, args)
    },
  ),

  pg_get_event_invocation_logs: read(
    record({ name: z.string(), source: sourceName, ...pageArguments }),
    (args, { draft, pool }) => {
      requireTrigger(draft.snapshot.storedMetadata, args.source, args.name)
      return eventInvocationLogs(pool, args)
    },
  ),

  pg_get_event_by_id: read(
    record({
      event_id: z.string(),
      source: sourceName,
      invocation_log_limit: pageArguments.limit,
      invocation_log_offset: pageArguments.offset,
    }),
    async (args, { pool }) => {
      const found = await eventById(pool, args.event_id, {
        limit: args.invocation_log_limit,
        offset: args.invocation_log_offset,
      })
      if (!found) throw new HasuraError('not-exists', `event id ${args.event_id} does not exist`)
      return found
    },
  ),
}
