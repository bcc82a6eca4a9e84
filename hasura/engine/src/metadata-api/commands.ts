import { actionCommands } from './action-commands.ts'
import type { Command } from './command.ts'
import { computedFieldCommands } from './computed-field-commands.ts'
import { enterpriseCommands } from './enterprise-commands.ts'
import { eventTriggerCommands } from './event-trigger-commands.ts'
import { functionCommands } from './function-commands.ts'
import { inheritedRoleCommands } from './inherited-role-commands.ts'
import { keptSettingCommands } from './kept-setting-commands.ts'
import { metadataCommands, version2Commands } from './metadata-commands.ts'
import { nativeQueryCommands } from './native-query-commands.ts'
import { permissionCommands } from './permission-commands.ts'
import { queryCollectionCommands } from './query-collection-commands.ts'
import { relationshipCommands } from './relationship-commands.ts'
import { remoteRelationshipCommands } from './remote-relationship-commands.ts'
import { remoteSchemaCommands } from './remote-schema-commands.ts'
import { rowCommands } from './row-commands.ts'
import { runSql } from './run-sql.ts'
import { scheduledTriggerCommands } from './scheduled-trigger-commands.ts'
import { sourceCommands } from './source-commands.ts'
import { tableCommands } from './table-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

/** Every command of `/v1/metadata`, by the request's `type`. */
const version1: Readonly<Record<string, Command>> = {
  ...metadataCommands,
  ...tableCommands,
  ...relationshipCommands,
  ...computedFieldCommands,
  ...permissionCommands,
  ...functionCommands,
  ...nativeQueryCommands,
  ...actionCommands,
  ...eventTriggerCommands,
  ...scheduledTriggerCommands,
  ...webhookCommands,
  ...remoteSchemaCommands,
  ...remoteRelationshipCommands,
  ...queryCollectionCommands,
  ...inheritedRoleCommands,
  ...sourceCommands,
  ...keptSettingCommands,
  ...enterpriseCommands,
}

/** Commands of `/v2/query`. */
const queryCommands: Readonly<Record<string, Command>> = { run_sql: runSql, ...rowCommands }

export type CommandSet = 'metadata' | 'query'

/** Hasura's console calls the kind of source `postgres` in some commands and `pg` in others. */
export function findCommand(set: CommandSet, given: string, version: number): Command | undefined {
  const type = given.replace(/^postgres_/, 'pg_')
  const table = set === 'query' ? queryCommands : version1
  const second = set === 'metadata' && version === 2 && Object.hasOwn(version2Commands, type)
  if (second) return version2Commands[type]
  return Object.hasOwn(table, type) ? table[type] : undefined
}
