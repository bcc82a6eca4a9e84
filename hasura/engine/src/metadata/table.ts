import { z } from 'zod'
import { eventTrigger } from './event-trigger.ts'
import { type DeepReadonly, graphqlName, jsonObject, nonEmptyText, record } from './parse.ts'
import { deletePermission, insertPermission, selectPermission, updatePermission } from './permission.ts'
import { qualifiedName } from './qualified-name.ts'
import { arrayRelationship, objectRelationship, remoteRelationship } from './relationship.ts'

/** A root field's name, with or without a description. */
const rootField = z.union([
  graphqlName,
  record({ name: graphqlName.optional(), comment: z.string().optional() }),
])

const customRootFields = record({
  select: rootField.optional(),
  select_by_pk: rootField.optional(),
  select_aggregate: rootField.optional(),
  select_stream: rootField.optional(),
  insert: rootField.optional(),
  insert_one: rootField.optional(),
  update: rootField.optional(),
  update_by_pk: rootField.optional(),
  update_many: rootField.optional(),
  delete: rootField.optional(),
  delete_by_pk: rootField.optional(),
})

export const tableConfiguration = record({
  custom_root_fields: customRootFields.optional(),
  /** The older form of `column_config[].custom_name`; Hasura still reads and writes it. */
  custom_column_names: z.record(z.string(), graphqlName).optional(),
  column_config: z
    .record(z.string(), record({ custom_name: graphqlName.optional(), comment: z.string().optional() }))
    .optional(),
  custom_name: graphqlName.optional(),
  comment: z.string().optional(),
})

export const computedFieldShape = {
  name: nonEmptyText,
  definition: record({
    function: qualifiedName,
    table_argument: z.string().optional(),
    session_argument: z.string().optional(),
  }),
  comment: z.string().optional(),
}

const computedField = record(computedFieldShape)

export const tableMetadata = record({
  table: qualifiedName,
  is_enum: z.boolean().optional(),
  configuration: tableConfiguration.optional(),
  object_relationships: z.array(objectRelationship).optional(),
  array_relationships: z.array(arrayRelationship).optional(),
  computed_fields: z.array(computedField).optional(),
  remote_relationships: z.array(remoteRelationship).optional(),
  insert_permissions: z.array(insertPermission).optional(),
  select_permissions: z.array(selectPermission).optional(),
  update_permissions: z.array(updatePermission).optional(),
  delete_permissions: z.array(deletePermission).optional(),
  event_triggers: z.array(eventTrigger).optional(),
  apollo_federation_config: record({ enable: z.literal('v1') }).optional(),
  logical_model: z.string().optional(),
})

export const functionConfiguration = record({
  custom_name: graphqlName.optional(),
  custom_root_fields: record({
    function: graphqlName.optional(),
    function_aggregate: graphqlName.optional(),
  }).optional(),
  session_argument: z.string().optional(),
  exposed_as: z.enum(['query', 'mutation']).optional(),
  response: jsonObject.optional(),
})

export const functionMetadata = record({
  function: qualifiedName,
  configuration: functionConfiguration.optional(),
  permissions: z.array(record({ role: nonEmptyText })).optional(),
  comment: z.string().optional(),
})

export type CustomRootFields = DeepReadonly<z.output<typeof customRootFields>>
export type ComputedField = DeepReadonly<z.output<typeof computedField>>
export type TableMetadata = DeepReadonly<z.output<typeof tableMetadata>>
export type FunctionMetadata = DeepReadonly<z.output<typeof functionMetadata>>
