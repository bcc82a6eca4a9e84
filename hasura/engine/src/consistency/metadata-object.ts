import type { Json } from '../metadata/parse.ts'
import { type QualifiedName, displayName } from '../metadata/qualified-name.ts'
import type {
  Action,
  ArrayRelationship,
  ComputedField,
  CronTrigger,
  DeletePermission,
  EventTrigger,
  FunctionMetadata,
  InsertPermission,
  LogicalModel,
  NativeQuery,
  ObjectRelationship,
  RemoteRelationship,
  RemoteSchema,
  RestEndpoint,
  SelectPermission,
  UpdatePermission,
} from '../metadata/types.ts'
import type { Inconsistency } from '../snapshot.ts'

/** An entry of the metadata, in the form in which Hasura reports an inconsistency. */
export interface MetadataObject {
  readonly type: string
  readonly name: string
  readonly definition: Json
}

export type PermissionKind = 'insert' | 'select' | 'update' | 'delete'
export type RelationshipKind = 'object' | 'array'
export type Permission = InsertPermission | SelectPermission | UpdatePermission | DeletePermission

/** Plain JSON of a part of the metadata, without undefined keys. */
const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

const tableNameJson = ({ schema, name }: QualifiedName): Json => ({ schema, name })

export const sourceObject = (source: string): MetadataObject => ({
  type: 'source',
  name: `source ${source}`,
  definition: source,
})

export const tableObject = (source: string, table: QualifiedName): MetadataObject => ({
  type: 'table',
  name: `table ${displayName(table)} in source ${source}`,
  definition: tableNameJson(table),
})

const tableMember = (
  source: string,
  table: QualifiedName,
  type: string,
  name: string,
  definition: Readonly<Record<string, unknown>>,
): MetadataObject => ({
  type,
  name: `${type} ${name} in ${tableObject(source, table).name}`,
  definition: toJson({ ...definition, source, table: tableNameJson(table) }),
})

export const relationshipObject = (
  source: string,
  table: QualifiedName,
  kind: RelationshipKind,
  relationship: ObjectRelationship | ArrayRelationship,
): MetadataObject =>
  tableMember(source, table, `${kind}_relation`, relationship.name, {
    using: relationship.using,
    name: relationship.name,
    comment: relationship.comment ?? null,
  })

export const computedFieldObject = (
  source: string,
  table: QualifiedName,
  field: ComputedField,
): MetadataObject =>
  tableMember(source, table, 'computed_field', field.name, {
    definition: field.definition,
    name: field.name,
    comment: field.comment ?? null,
  })

export const permissionObject = (
  source: string,
  table: QualifiedName,
  kind: PermissionKind,
  permission: Permission,
): MetadataObject =>
  tableMember(source, table, `${kind}_permission`, permission.role, {
    role: permission.role,
    permission: permission.permission,
    comment: permission.comment ?? null,
  })

export const eventTriggerObject = (
  source: string,
  table: QualifiedName,
  trigger: EventTrigger,
): MetadataObject =>
  tableMember(source, table, 'event_trigger', trigger.name, { configuration: trigger, name: trigger.name })

export const functionObject = (source: string, fn: FunctionMetadata['function']): MetadataObject => ({
  type: 'function',
  name: `function ${displayName(fn)} in source ${source}`,
  definition: tableNameJson(fn),
})

export const logicalModelObject = (source: string, { name }: Pick<LogicalModel, 'name'>): MetadataObject => ({
  type: 'logical_model',
  name: `logical_model ${name} in source ${source}`,
  definition: name,
})

export const nativeQueryObject = (
  source: string,
  { root_field_name: name }: Pick<NativeQuery, 'root_field_name'>,
): MetadataObject => ({
  type: 'native_query',
  name: `native_query ${name} in source ${source}`,
  definition: name,
})

export const actionObject = (action: Action): MetadataObject => ({
  type: 'action',
  name: `action ${action.name}`,
  definition: toJson(action),
})

export const cronTriggerObject = (trigger: CronTrigger): MetadataObject => ({
  type: 'cron_trigger',
  name: `cron_trigger ${trigger.name}`,
  definition: toJson(trigger),
})

export const restEndpointObject = (endpoint: RestEndpoint): MetadataObject => ({
  type: 'endpoint',
  name: `endpoint ${endpoint.name}`,
  definition: toJson({ ...endpoint, comment: endpoint.comment ?? null }),
})

export const customTypesObject = (definition: Json): MetadataObject => ({
  type: 'custom_types',
  name: 'custom_types custom_types',
  definition,
})

export const inheritedRoleObject = (role: { readonly role_name: string }): MetadataObject => ({
  type: 'inherited_role',
  name: `inherited_role ${role.role_name}`,
  definition: toJson(role),
})

export const remoteSchemaObject = ({ name, ...remote }: RemoteSchema): MetadataObject => ({
  type: 'remote_schema',
  name: `remote_schema ${name}`,
  definition: toJson({ name, definition: remote.definition, comment: remote.comment ?? null }),
})

export const remoteSchemaPermissionObject = (
  remote: string,
  permission: NonNullable<RemoteSchema['permissions']>[number],
): MetadataObject => ({
  type: 'remote_schema_permission',
  name: `remote_schema_permission ${permission.role} in remote schema ${remote}`,
  definition: toJson({ remote_schema: remote, ...permission }),
})

export const remoteTypeRelationshipObject = (
  remote: string,
  type: string,
  relationship: RemoteRelationship,
): MetadataObject => ({
  type: 'remote_schema_remote_relationship',
  name: `remote_relationship ${relationship.name} on type ${type} in remote schema ${remote}`,
  definition: toJson({ remote_schema: remote, type_name: type, ...relationship }),
})

export const remoteRelationshipObject = (
  source: string,
  table: QualifiedName,
  relationship: RemoteRelationship,
): MetadataObject =>
  tableMember(source, table, 'remote_relationship', relationship.name, {
    definition: relationship.definition,
    name: relationship.name,
  })

export const inconsistency = (object: MetadataObject, reason: string): Inconsistency => ({
  definition: object.definition,
  name: object.name,
  reason: `Inconsistent object: ${reason}`,
  type: object.type,
})

/** The consistent entries, and the inconsistencies of the others. */
export interface Checked<Entry> {
  readonly kept: readonly Entry[]
  readonly inconsistencies: readonly Inconsistency[]
}

/** Keeps the entries for which `problem` returns undefined. */
export function checkEach<Entry>(
  entries: readonly Entry[] | undefined,
  problem: (entry: Entry) => string | undefined,
  objectOf: (entry: Entry) => MetadataObject,
): Checked<Entry> {
  const kept: Entry[] = []
  const inconsistencies: Inconsistency[] = []
  for (const entry of entries ?? []) {
    const reason = problem(entry)
    if (reason === undefined) kept.push(entry)
    else inconsistencies.push(inconsistency(objectOf(entry), reason))
  }
  return { kept, inconsistencies }
}

/** "because X", or a list of all reasons, as Hasura ends such a message. */
export const becauseOf = (reasons: readonly string[]): string =>
  reasons.length === 1
    ? `because ${reasons[0] ?? ''}`
    : `for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`
