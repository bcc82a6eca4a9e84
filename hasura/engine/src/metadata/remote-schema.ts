import { z } from 'zod'
import { type DeepReadonly, graphqlName, json, nonEmptyText, record } from './parse.ts'
import { remoteRelationship } from './relationship.ts'
import { webhookHeader } from './webhook.ts'

const nameMapping = z.record(graphqlName, graphqlName)

/** Changes of the remote schema's names before clients see them. */
const customization = record({
  root_fields_namespace: graphqlName.optional(),
  type_names: record({
    prefix: graphqlName.optional(),
    suffix: z
      .string()
      .regex(/^[_0-9A-Za-z]*$/)
      .optional(),
    mapping: nameMapping.optional(),
  }).optional(),
  field_names: z
    .array(
      record({
        parent_type: graphqlName,
        prefix: graphqlName.optional(),
        suffix: z
          .string()
          .regex(/^[_0-9A-Za-z]*$/)
          .optional(),
        mapping: nameMapping.optional(),
      }),
    )
    .optional(),
})

export const remoteSchemaDefinition = record({
  url: z.string().optional(),
  url_from_env: z.string().optional(),
  /** Hasura's default is 60. */
  timeout_seconds: z.number().int().positive().optional(),
  headers: z.array(webhookHeader).optional(),
  forward_client_headers: z.boolean().optional(),
  customization: customization.optional(),
  response_headers: json.optional(),
})

export const remoteSchemaPermission = record({
  role: nonEmptyText,
  /** SDL: the part of the remote schema that the role may use, with `@preset` on arguments. */
  definition: record({ schema: z.string() }),
  comment: z.string().optional(),
})

/** The relationships of one type of the remote schema. */
const typeRelationships = record({ type_name: graphqlName, relationships: z.array(remoteRelationship) })

export const remoteSchema = record({
  name: nonEmptyText,
  definition: remoteSchemaDefinition,
  comment: z.string().optional(),
  permissions: z.array(remoteSchemaPermission).optional(),
  remote_relationships: z.array(typeRelationships).optional(),
})

export type RemoteSchema = DeepReadonly<z.output<typeof remoteSchema>>
export type RemoteSchemaCustomization = DeepReadonly<z.output<typeof customization>>
