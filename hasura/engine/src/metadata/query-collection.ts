import { z } from 'zod'
import { type DeepReadonly, nonEmptyText, record } from './parse.ts'

const collectionQueries = z.array(record({ name: nonEmptyText, query: z.string() }))

export const queryCollection = record({
  name: nonEmptyText,
  comment: z.string().optional(),
  definition: record({ queries: collectionQueries }),
})

export const allowlistScope = z.union([
  record({ global: z.literal(true) }),
  record({ global: z.literal(false), roles: z.array(nonEmptyText).min(1) }),
])

export const allowlistEntry = record({ collection: nonEmptyText, scope: allowlistScope.optional() })

export const restEndpoint = record({
  name: nonEmptyText,
  url: nonEmptyText,
  methods: z.array(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])).min(1),
  definition: record({ query: record({ collection_name: nonEmptyText, query_name: nonEmptyText }) }),
  comment: z.string().optional(),
})

export type QueryCollection = DeepReadonly<z.output<typeof queryCollection>>
export type RestEndpoint = DeepReadonly<z.output<typeof restEndpoint>>
