import { z } from 'zod'
import { type DeepReadonly, graphqlName, nonEmptyText, record } from './parse.ts'
import { qualifiedName } from './qualified-name.ts'
import { requestTransform, responseTransform, webhookHeader } from './webhook.ts'

/** A GraphQL type in SDL: `[String!]!`. */
const graphqlType = z.string().min(1)

const argument = record({ name: graphqlName, type: graphqlType, description: z.string().optional() })

export const actionDefinition = record({
  handler: z.string(),
  output_type: graphqlType.optional(),
  arguments: z.array(argument).optional(),
  type: z.enum(['query', 'mutation']).optional(),
  /** Only for mutations. */
  kind: z.enum(['synchronous', 'asynchronous']).optional(),
  headers: z.array(webhookHeader).optional(),
  forward_client_headers: z.boolean().optional(),
  ignored_client_headers: z.array(z.string()).optional(),
  /** Seconds; Hasura's default is 30. */
  timeout: z.number().int().positive().optional(),
  request_transform: requestTransform.optional(),
  response_transform: responseTransform.optional(),
})

export const action = record({
  name: graphqlName,
  definition: actionDefinition,
  comment: z.string().optional(),
  permissions: z.array(record({ role: nonEmptyText, comment: z.string().optional() })).optional(),
})

/** A relationship from an object type of an action's answer to a table. */
const typeRelationship = record({
  name: graphqlName,
  type: z.enum(['object', 'array']),
  source: z.string().optional(),
  remote_table: qualifiedName,
  field_mapping: z.record(z.string(), z.string()),
})

const objectField = record({
  name: graphqlName,
  type: graphqlType,
  description: z.string().optional(),
  arguments: z.array(argument).optional(),
})

export const customTypes = record({
  input_objects: z
    .array(
      record({
        name: graphqlName,
        description: z.string().optional(),
        fields: z.array(record({ name: graphqlName, type: graphqlType, description: z.string().optional() })),
      }),
    )
    .optional(),
  objects: z
    .array(
      record({
        name: graphqlName,
        description: z.string().optional(),
        fields: z.array(objectField),
        relationships: z.array(typeRelationship).optional(),
      }),
    )
    .optional(),
  scalars: z.array(record({ name: graphqlName, description: z.string().optional() })).optional(),
  enums: z
    .array(
      record({
        name: graphqlName,
        description: z.string().optional(),
        values: z.array(
          record({
            value: graphqlName,
            description: z.string().optional(),
            is_deprecated: z.boolean().optional(),
          }),
        ),
      }),
    )
    .optional(),
})

export type Action = DeepReadonly<z.output<typeof action>>
export type CustomTypes = DeepReadonly<z.output<typeof customTypes>>

/** Whether it answers with an id, by which its result can be read later. */
export const isAsynchronous = ({ definition: { kind, type = 'mutation' } }: Action): boolean =>
  kind === 'asynchronous' && type === 'mutation'
