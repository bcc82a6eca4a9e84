import type { Metadata, RemoteSchema, Source, TableMetadata } from '../metadata/types.ts'
import {
  type MetadataObject,
  type PermissionKind,
  actionObject,
  computedFieldObject,
  cronTriggerObject,
  eventTriggerObject,
  functionObject,
  inheritedRoleObject,
  logicalModelObject,
  nativeQueryObject,
  permissionObject,
  relationshipObject,
  remoteRelationshipObject,
  remoteSchemaObject,
  remoteSchemaPermissionObject,
  remoteTypeRelationshipObject,
  restEndpointObject,
  sourceObject,
  tableObject,
} from './metadata-object.ts'

type Keep = (object: MetadataObject) => boolean

/** Metadata without the entries whose object `keep` refuses. An object is identified by its name. */
export const filterMetadata = (metadata: Metadata, keep: Keep): Metadata => ({
  ...metadata,
  sources: metadata.sources
    .filter((source) => keep(sourceObject(source.name)))
    .map((source) => filterSource(source, keep)),
  custom_types: keep({ type: 'custom_types', name: 'custom_types custom_types', definition: null })
    ? metadata.custom_types
    : undefined,
  actions: metadata.actions?.filter((action) => keep(actionObject(action))),
  rest_endpoints: metadata.rest_endpoints?.filter((endpoint) => keep(restEndpointObject(endpoint))),
  remote_schemas: metadata.remote_schemas
    ?.filter((remote) => keep(remoteSchemaObject(remote)))
    .map((remote) => filterRemoteSchema(remote, keep)),
  cron_triggers: metadata.cron_triggers?.filter((trigger) => keep(cronTriggerObject(trigger))),
  inherited_roles: metadata.inherited_roles?.filter((role) => keep(inheritedRoleObject(role))),
})

const filterRemoteSchema = (remote: RemoteSchema, keep: Keep): RemoteSchema => ({
  ...remote,
  permissions: remote.permissions?.filter((permission) =>
    keep(remoteSchemaPermissionObject(remote.name, permission)),
  ),
  remote_relationships: remote.remote_relationships?.map((entry) => ({
    ...entry,
    relationships: entry.relationships.filter((relationship) =>
      keep(remoteTypeRelationshipObject(remote.name, entry.type_name, relationship)),
    ),
  })),
})

const filterSource = (source: Source, keep: Keep): Source => ({
  ...source,
  tables: source.tables
    .filter(({ table }) => keep(tableObject(source.name, table)))
    .map((table) => filterTable(source.name, table, keep)),
  functions: source.functions?.filter((fn) => keep(functionObject(source.name, fn.function))),
  logical_models: source.logical_models?.filter((model) => keep(logicalModelObject(source.name, model))),
  native_queries: source.native_queries?.filter((query) => keep(nativeQueryObject(source.name, query))),
})

function filterTable(source: string, table: TableMetadata, keep: Keep): TableMetadata {
  const permitted = (kind: PermissionKind) => (permission: Parameters<typeof permissionObject>[3]) =>
    keep(permissionObject(source, table.table, kind, permission))
  return {
    ...table,
    object_relationships: table.object_relationships?.filter((each) =>
      keep(relationshipObject(source, table.table, 'object', each)),
    ),
    array_relationships: table.array_relationships?.filter((each) =>
      keep(relationshipObject(source, table.table, 'array', each)),
    ),
    computed_fields: table.computed_fields?.filter((each) =>
      keep(computedFieldObject(source, table.table, each)),
    ),
    remote_relationships: table.remote_relationships?.filter((each) =>
      keep(remoteRelationshipObject(source, table.table, each)),
    ),
    insert_permissions: table.insert_permissions?.filter(permitted('insert')),
    select_permissions: table.select_permissions?.filter(permitted('select')),
    update_permissions: table.update_permissions?.filter(permitted('update')),
    delete_permissions: table.delete_permissions?.filter(permitted('delete')),
    event_triggers: table.event_triggers?.filter((each) =>
      keep(eventTriggerObject(source, table.table, each)),
    ),
  }
}
