import { z } from 'zod'
import { type DeepReadonly, json, jsonObject, nonEmptyText, record } from './parse.ts'
import { webhookHeader } from './webhook.ts'

export const remoteSchema = record({
  name: nonEmptyText,
  definition: record({
    url: z.string().optional(),
    url_from_env: z.string().optional(),
    timeout_seconds: z.number().int().positive().optional(),
    headers: z.array(webhookHeader).optional(),
    forward_client_headers: z.boolean().optional(),
    customization: jsonObject.optional(),
    response_headers: json.optional(),
  }),
  comment: z.string().optional(),
  permissions: z
    .array(
      record({
        role: nonEmptyText,
        definition: record({ schema: z.string() }),
        comment: z.string().optional(),
      }),
    )
    .optional(),
  remote_relationships: z.array(jsonObject).optional(),
})

export type RemoteSchema = DeepReadonly<z.output<typeof remoteSchema>>
