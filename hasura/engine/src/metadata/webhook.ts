import { z } from 'zod'
import { type DeepReadonly, record } from './parse.ts'

/**
 * A header of the request, with a literal value or one from the environment, but never one of the server's own secrets.
 */
export const webhookHeader = z
  .union([
    record({ name: z.string().min(1), value: z.string() }),
    record({ name: z.string().min(1), value_from_env: z.string().min(1) }),
  ])
  .superRefine((header, context) => {
    if (!('value_from_env' in header) || !header.value_from_env.startsWith('HASURA_GRAPHQL_')) return
    const message = `env variables starting with "HASURA_GRAPHQL_" are not allowed in value_from_env: ${header.value_from_env}`
    context.addIssue({ code: 'custom', message })
  })

/** Kriti templates, which consistency checks parse. In version 1 the body is just its template. */
const transformBody = z.union([
  z.string(),
  record({
    action: z.enum(['transform', 'remove', 'x_www_form_urlencoded']),
    template: z.string().optional(),
    form_template: z.record(z.string(), z.string()).optional(),
  }),
])

export const requestTransform = record({
  version: z.union([z.literal(1), z.literal(2)]).optional(),
  template_engine: z.literal('Kriti').optional(),
  method: z.string().optional(),
  url: z.string().optional(),
  body: transformBody.optional(),
  /** From early releases of Hasura; headers have replaced it. It is kept, without effect in both engines. */
  content_type: z.string().optional(),
  query_params: z.union([z.string(), z.record(z.string(), z.string().nullable())]).optional(),
  request_headers: record({
    add_headers: z.record(z.string(), z.string()).optional(),
    remove_headers: z.array(z.string()).optional(),
  }).optional(),
})

export const responseTransform = record({
  version: z.union([z.literal(1), z.literal(2)]).optional(),
  template_engine: z.literal('Kriti').optional(),
  body: transformBody.optional(),
})

export type WebhookHeader = DeepReadonly<z.output<typeof webhookHeader>>
export type RequestTransform = DeepReadonly<z.output<typeof requestTransform>>
export type ResponseTransform = DeepReadonly<z.output<typeof responseTransform>>
