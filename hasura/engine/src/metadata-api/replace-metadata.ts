import { z } from 'zod'
import { defaultSource } from '../consistency/build-snapshot.ts'
import { eventTriggerObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { findSource } from '../metadata/edit-metadata.ts'
import { record } from '../metadata/parse.ts'
import { isWithoutSources, parseKnownKeys, parseMetadata } from '../metadata/read-metadata.ts'
import type { EventTrigger, Metadata, QualifiedName, Source } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Command, type CommandContext, success } from './command.ts'
import { type MetadataDraft, consistencyJson, inconsistenciesJson } from './draft.ts'
import { triggerNamePattern } from './event-trigger-commands.ts'
import { type MetadataWarning, refuseWarnings, withWarnings } from './warnings.ts'

const replaceArguments = record({
  metadata: z.unknown(),
  allow_inconsistent_metadata: z.boolean().default(false),
  allow_warnings: z.boolean().default(true),
})
type ReplaceArguments = z.output<typeof replaceArguments>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The arguments are the metadata, which must be consistent; or, when they have `metadata`, an object with options. */
export const replaceMetadata: Command = {
  schema: z.unknown(),
  changesMetadata: true,
  run: async (args, context) => {
    if (isObject(args) && 'metadata' in args) return replaceAsAllowed(context, parseArguments(args))
    const warnings = await replaceWith(context.draft, parsed(args, '', context), false)
    return { ...success, ...withWarnings(warnings) }
  },
}

/** With `"version": 2`, the arguments always have options. */
export const replaceMetadataVersion2: Command = {
  schema: replaceArguments,
  changesMetadata: true,
  run: (args, context) => replaceAsAllowed(context, replaceArguments.parse(args)),
}

function parseArguments(args: unknown): ReplaceArguments {
  const result = parseKnownKeys(replaceArguments, args)
  if (result.kind === 'parsed') return result.value
  throw new HasuraError('parse-failed', result.problem.message, { path: result.problem.path })
}

async function replaceAsAllowed(
  context: Pick<CommandContext, 'draft' | 'strictMetadata'>,
  {
    metadata,
    allow_inconsistent_metadata: allowInconsistent,
    allow_warnings: allowWarnings,
  }: ReplaceArguments,
) {
  const { draft } = context
  const warnings = await replaceWith(draft, parsed(metadata, '.metadata', context), allowInconsistent)
  refuseWarnings(warnings, allowWarnings)
  return { ...consistencyJson(draft.snapshot), ...withWarnings(warnings) }
}

interface GivenMetadata {
  readonly metadata: Metadata
  /** Formats 1 and 2 describe only the tables of the single source. */
  readonly withoutSources: boolean
  /** The paths of the keys that were left out. */
  readonly ignored: readonly string[]
}

function parsed(
  value: unknown,
  path: string,
  { strictMetadata }: Pick<CommandContext, 'strictMetadata'>,
): GivenMetadata {
  const result = parseMetadata(value)
  if (result.kind === 'invalid') {
    const { path: inner, message } = result.problem
    throw new HasuraError('parse-failed', message, { path: `$${path}${inner.slice(1)}` })
  }
  const { ignored } = result
  const [unknown] = ignored
  if (strictMetadata && unknown !== undefined)
    throw new HasuraError('parse-failed', 'unknown key', { path: `$${path}${unknown.slice(1)}` })
  return { metadata: result.value, withoutSources: isWithoutSources(value), ignored }
}

async function replaceWith(
  draft: MetadataDraft,
  { metadata, withoutSources, ignored }: GivenMetadata,
  allowInconsistent: boolean,
): Promise<readonly MetadataWarning[]> {
  const before = draft.snapshot.storedMetadata
  const given = withoutSources ? intoDefaultSource(metadata, before) : metadata
  for (const source of given.sources) refuseRepeatedTriggers(source)
  await draft.accept(withUnexported(given, before))
  if (!allowInconsistent) refuseInconsistent(draft.snapshot)
  return [...ignored.map(unknownKeyWarning), ...triggerNameWarnings(given, before)]
}

function intoDefaultSource(metadata: Metadata, before: Metadata): Metadata {
  const source = findSource(before, defaultSource)
  if (source === undefined)
    throw new HasuraError(
      'not-supported',
      'cannot import metadata without sources since no default source is defined',
    )
  const { tables = [], functions } = metadata.sources[0] ?? {}
  return { ...metadata, sources: [{ ...source, tables, functions }], rest_endpoints: before.rest_endpoints }
}

/** Import keeps the cron triggers that exports leave out. */
function withUnexported(metadata: Metadata, { cron_triggers: before = [] }: Metadata): Metadata {
  const unexported = before.filter(({ include_in_metadata }) => !include_in_metadata)
  if (unexported.length === 0) return metadata
  const given = metadata.cron_triggers ?? []
  const taken = given.find(({ name }) => unexported.some((each) => each.name === name))
  if (taken !== undefined)
    throw new HasuraError(
      'already-exists',
      `cron trigger with name "${taken.name}" already exists as a cron trigger with "included_in_metadata" as false`,
    )
  return { ...metadata, cron_triggers: [...given, ...unexported] }
}

function refuseInconsistent({ inconsistencies }: Snapshot): void {
  if (inconsistencies.length === 0) return
  throw new HasuraError('unexpected', 'cannot continue due to inconsistent metadata', {
    internal: inconsistenciesJson(inconsistencies),
  })
}

interface TriggerOfTable {
  readonly table: QualifiedName
  readonly trigger: EventTrigger
}

const triggersOf = ({ tables }: Source): readonly TriggerOfTable[] =>
  tables.flatMap(({ table, event_triggers = [] }) => event_triggers.map((trigger) => ({ table, trigger })))

function refuseRepeatedTriggers(source: Source): void {
  const names = triggersOf(source).map(({ trigger }) => trigger.name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  if (repeated.length > 0)
    throw new HasuraError(
      'not-supported',
      `Event trigger with duplicate names not allowed: ${repeated.map((name) => `"${name}"`).join(', ')}`,
    )
}

const unknownKeyWarning = (path: string): MetadataWarning => ({
  code: 'unknown-metadata-key',
  object: { type: 'metadata', name: path },
  message: `${path}: metadata has no such key; it was left out`,
})

/** Commands refuse such names. Here they only cause warnings, because they may be older than the rule. */
const triggerNameWarnings = (metadata: Metadata, before: Metadata): readonly MetadataWarning[] =>
  metadata.sources.flatMap((source) => {
    const old = findSource(before, source.name)
    if (old === undefined) return []
    const known = new Set(triggersOf(old).map(({ trigger }) => trigger.name))
    return triggersOf(source)
      .filter(({ trigger: { name } }) => !known.has(name) && !triggerNamePattern.test(name))
      .map(({ table, trigger }) => ({
        code: 'illegal-event-trigger-name' as const,
        object: eventTriggerObject(source.name, table, trigger),
        message: `The event trigger with name "${trigger.name}" may not work as expected, hasura suggests to use only alphanumeric, underscore and hyphens in an event trigger name`,
      }))
  })
