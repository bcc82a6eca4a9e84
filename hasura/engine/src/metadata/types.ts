import { z } from 'zod'
import { action, customTypes } from './action.ts'
import { cronTrigger } from './event-trigger.ts'
import { type DeepReadonly, graphqlName, json, jsonObject, nonEmptyText, record } from './parse.ts'
import { foreignSource } from './foreign-source.ts'
import { logicalModel, nativeQuery } from './native-query.ts'
import { allowlistEntry, queryCollection, restEndpoint } from './query-collection.ts'
import { remoteSchema } from './remote-schema.ts'
import { functionMetadata, tableMetadata } from './table.ts'

/**
 * Hasura's metadata, format 3. The schemas list keys in the order of Hasura's exports. zod keeps that order, so parsed
 * metadata can be written with JSON.stringify.
 */

/** A text, or the name of the environment variable that holds it. */
const valueOrEnv = z.union([z.string(), record({ from_env: z.string().min(1) }), jsonObject])

const connectionInfo = record({
  database_url: valueOrEnv,
  pool_settings: jsonObject.optional(),
  use_prepared_statements: z.boolean().optional(),
  isolation_level: z.enum(['read-committed', 'repeatable-read', 'serializable']).optional(),
  ssl_configuration: jsonObject.optional(),
})

export const sourceConfiguration = record({
  connection_info: connectionInfo.optional(),
  read_replicas: z.array(jsonObject).optional(),
  extensions_schema: z.string().optional(),
  connection_template: json.optional(),
  connection_set: z.array(jsonObject).optional(),
})

const namePattern = { prefix: z.string().optional(), suffix: z.string().optional() }

export const sourceCustomization = record({
  root_fields: record({ namespace: graphqlName.optional(), ...namePattern }).optional(),
  type_names: record(namePattern).optional(),
  naming_convention: z.enum(['hasura-default', 'graphql-default']).optional(),
})

const ownSource = record({
  name: nonEmptyText,
  kind: z.string().optional(),
  tables: z.array(tableMetadata),
  functions: z.array(functionMetadata).optional(),
  native_queries: z.array(nativeQuery).optional(),
  stored_procedures: z.array(jsonObject).optional(),
  logical_models: z.array(logicalModel).optional(),
  configuration: sourceConfiguration.optional(),
  health_check: jsonObject.optional(),
  customization: sourceCustomization.optional(),
  query_tags: jsonObject.optional(),
  /** A source of another kind as it was written. */
  foreign: jsonObject.optional(),
})

const source = z.preprocess(foreignSource, ownSource)

export const inheritedRole = record({ role_name: nonEmptyText, role_set: z.array(nonEmptyText).min(1) })

export const introspectionOptions = record({ disabled_for_roles: z.array(z.string()).optional() })

/** A host whose certificate is not verified. The suffix is a port, or a port and the beginning of a path. */
export const tlsAllowance = record({
  host: z.string(),
  suffix: z.string().optional(),
  permissions: z.array(z.enum(['self-signed'])).optional(),
})

const network = record({ tls_allowlist: z.array(tlsAllowance).optional() })

export const metadata = record({
  version: z.literal(3),
  sources: z.array(source),
  remote_schemas: z.array(remoteSchema).optional(),
  query_collections: z.array(queryCollection).optional(),
  allowlist: z.array(allowlistEntry).optional(),
  custom_types: customTypes.optional(),
  actions: z.array(action).optional(),
  cron_triggers: z.array(cronTrigger).optional(),
  inherited_roles: z.array(inheritedRole).optional(),
  rest_endpoints: z.array(restEndpoint).optional(),
  network: network.optional(),
  metrics_config: jsonObject.optional(),
  api_limits: jsonObject.optional(),
  graphql_schema_introspection: introspectionOptions.optional(),
  opentelemetry: jsonObject.optional(),
  backend_configs: jsonObject.optional(),
})

export type Source = DeepReadonly<z.output<typeof source>>
export type LogicalModel = DeepReadonly<z.output<typeof logicalModel>>
export type NativeQuery = DeepReadonly<z.output<typeof nativeQuery>>
export type Metadata = DeepReadonly<z.output<typeof metadata>>

export type { Action, CustomTypes } from './action.ts'
export type { CronTrigger, EventTrigger, ScheduledRetryConf } from './event-trigger.ts'
export type { Json, JsonObject } from './parse.ts'
export type {
  DeletePermission,
  InsertPermission,
  SelectPermission,
  UpdatePermission,
  ValidateInput,
} from './permission.ts'
export type { QueryCollection, RestEndpoint } from './query-collection.ts'
export { type QualifiedName, displayName, qualifiedKey } from './qualified-name.ts'
export { type ArrayRelationship, type ObjectRelationship, type RemoteRelationship } from './relationship.ts'
export type { RemoteSchema } from './remote-schema.ts'
export type { ComputedField, CustomRootFields, FunctionMetadata, TableMetadata } from './table.ts'
export type { RequestTransform, ResponseTransform, WebhookHeader } from './webhook.ts'
