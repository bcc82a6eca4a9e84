import { z } from 'zod'
import { type DeepReadonly, jsonObject, nonEmptyText, record } from './parse.ts'
import { webhookHeader } from './webhook.ts'

const columnSelection = z.union([z.literal('*'), z.array(z.string())])

/** The input of a mutation is sent to an HTTP service, which may refuse it before the mutation runs. */
const validateInput = record({
  type: z.literal('http'),
  definition: record({
    url: z.string().min(1),
    headers: z.array(webhookHeader).optional(),
    forward_client_headers: z.boolean().optional(),
    /** Seconds. */
    timeout: z.number().int().positive().optional(),
  }),
})

const permissionOf = <Definition extends z.ZodType>(permission: Definition) =>
  record({ role: nonEmptyText, permission, comment: z.string().optional() })

export const insertPermissionDefinition = record({
  check: jsonObject,
  set: jsonObject.optional(),
  columns: columnSelection.optional(),
  backend_only: z.boolean().optional(),
  validate_input: validateInput.optional(),
})

export const selectPermissionDefinition = record({
  columns: columnSelection,
  filter: jsonObject,
  limit: z.number().int().nonnegative().optional(),
  allow_aggregations: z.boolean().optional(),
  computed_fields: z.array(z.string()).optional(),
  /** Default: every root field. */
  query_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate'])).optional(),
  subscription_root_fields: z
    .array(z.enum(['select', 'select_by_pk', 'select_aggregate', 'select_stream']))
    .optional(),
})

export const updatePermissionDefinition = record({
  columns: columnSelection,
  filter: jsonObject,
  check: jsonObject.optional(),
  set: jsonObject.optional(),
  backend_only: z.boolean().optional(),
  validate_input: validateInput.optional(),
})

export const deletePermissionDefinition = record({
  filter: jsonObject,
  backend_only: z.boolean().optional(),
  validate_input: validateInput.optional(),
})

export const insertPermission = permissionOf(insertPermissionDefinition)
export const selectPermission = permissionOf(selectPermissionDefinition)
export const updatePermission = permissionOf(updatePermissionDefinition)
export const deletePermission = permissionOf(deletePermissionDefinition)

export type ValidateInput = DeepReadonly<z.output<typeof validateInput>>
export type InsertPermission = DeepReadonly<z.output<typeof insertPermission>>
export type SelectPermission = DeepReadonly<z.output<typeof selectPermission>>
export type UpdatePermission = DeepReadonly<z.output<typeof updatePermission>>
export type DeletePermission = DeepReadonly<z.output<typeof deletePermission>>
