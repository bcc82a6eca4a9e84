import type { ClientBase } from 'pg'
import { z } from 'zod'
import { qualifiedKey } from '../metadata/qualified-name.ts'
import type { FinishChange } from '../metadata-api/command.ts'
import type { Metadata } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { type SqlTrigger, createStatements, dropStatement, sqlTriggers } from './trigger-sql.ts'

/** An installed function with a name of Hasura's form, and the trigger that calls it, if any. */
const installedRow = z.object({
  name: z.string(),
  body: z.string(),
  schema: z.string().nullable(),
  table: z.string().nullable(),
  /** When the trigger and its copies in partitions fire: `O`, `A` (always), `R` (only replicas) or `D` (disabled). */
  modes: z.array(z.string()),
})
type Installed = z.output<typeof installedRow>

const installedSql = `
select p.proname as name, p.prosrc as body, n.nspname as schema, c.relname as table,
       array(select distinct copy.tgenabled::text from pg_catalog.pg_trigger copy where copy.tgfoid = p.oid) as modes
from pg_catalog.pg_proc p
left join pg_catalog.pg_trigger t on t.tgfoid = p.oid and t.tgparentid = 0
left join pg_catalog.pg_class c on c.oid = t.tgrelid
left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where p.pronamespace = 'hdb_catalog'::regnamespace and p.proname like 'notify\\_hasura\\_%'`

/** An arbitrary number for an advisory lock: engines that start together must not create the same trigger twice. */
const installationLock = 7_267_481_005

/** Updates the database's triggers after a change of the metadata. */
export const followWithTriggers =
  (stringifyNumbers: boolean): FinishChange =>
  async (client, before, after, { recreatesTriggers: recreates = false } = {}) => {
    await client.query('select pg_advisory_xact_lock($1)', [installationLock])
    await installTriggers(client, after, { stringifyNumbers, recreates })
    await archiveEvents(client, before.storedMetadata, after.storedMetadata)
  }

/**
 * Makes the database's triggers those of the metadata, without touching tables whose triggers are right already, unless
 * all are to be created anew. It runs in the caller's transaction, so metadata and triggers change together.
 */
async function installTriggers(
  client: ClientBase,
  snapshot: Snapshot,
  { stringifyNumbers, recreates }: { readonly stringifyNumbers: boolean; readonly recreates: boolean },
): Promise<void> {
  const wanted = sqlTriggers(snapshot, stringifyNumbers)
  const { rows } = await client.query(installedSql)
  const installed = new Map(
    z
      .array(installedRow)
      .parse(rows)
      .map((row) => [row.name, row]),
  )
  const kept = recreates ? [] : wanted.filter((trigger) => isInstalled(trigger, installed.get(trigger.name)))
  const keptNames = new Set(kept.map(({ name }) => name))
  const statements = [
    ...[...installed.keys()].filter((name) => !keptNames.has(name)).map(dropStatement),
    ...wanted.filter(({ name }) => !keptNames.has(name)).flatMap(createStatements),
  ]
  for (const statement of statements) await client.query(statement)
}

const isInstalled = (trigger: SqlTrigger, found: Installed | undefined): boolean =>
  found?.body === trigger.body &&
  found.schema !== null &&
  found.table !== null &&
  qualifiedKey({ schema: found.schema, name: found.table }) === qualifiedKey(trigger.table) &&
  // A load that disabled the triggers and was killed would leave the table without events.
  found.modes.every((mode) => mode === (trigger.onReplication ? 'A' : 'O'))

/** Archives events of dropped triggers: the rows stay, but are no longer delivered. */
async function archiveEvents(client: ClientBase, before: Metadata, after: Metadata): Promise<void> {
  const remaining = new Set(triggerNames(after))
  const gone = triggerNames(before).filter((name) => !remaining.has(name))
  if (gone.length === 0) return
  await client.query(
    'update hdb_catalog.event_log set archived = true where not archived and trigger_name = any($1)',
    [gone],
  )
}

const triggerNames = (metadata: Metadata): readonly string[] =>
  metadata.sources.flatMap(({ tables }) =>
    tables.flatMap(({ event_triggers = [] }) => event_triggers.map(({ name }) => name)),
  )
