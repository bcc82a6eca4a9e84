import { createHash } from 'node:crypto'
import { targetIdsOf } from '@commerce-graph/audit'
import { type CatalogueError, catalogueError } from '@commerce-graph/contract/errors'
import type { QueryContext } from '../query/execute-query.ts'
import type { Values, Write } from './definition.ts'
import type { PlannedCall } from './plan-mutation.ts'

/** Whether a mutation of rows was carried out by an earlier request with its Idempotency-Key. */
export type Earlier =
  | { readonly kind: 'none' }
  /** @param id of the record that was written; undefined when the mutation is about none */
  | { readonly kind: 'same'; readonly id: string | undefined }
  /** The key was used for another request. */
  | { readonly kind: 'conflict'; readonly error: CatalogueError }

export async function findEarlier(
  call: PlannedCall,
  { idempotencyKey: key, usedKeys, principal }: QueryContext,
): Promise<Earlier> {
  if (key === undefined || usedKeys === undefined || principal.kind === 'operator') return { kind: 'none' }
  const used = await usedKeys.find(principal, key)
  if (used === null) return { kind: 'none' }
  if (used.operation === call.field.name && used.fingerprint === fingerprintOf(call.args))
    return { kind: 'same', id: used.recordIds[0] }
  const field = 'Idempotency-Key'
  const details = { field, reason: 'The key was used for another request' }
  return { kind: 'conflict', error: catalogueError('SVC_VAL_004', { field, value: key.value }, details) }
}

/** The session variables from which the triggers record an idempotency key (migrations, `platform.keep_key`). */
export function keyVariables(
  { field, args }: PlannedCall,
  write: Write,
  { idempotencyKey: key }: QueryContext,
): Readonly<Record<string, string>> {
  if (key === undefined) return {}
  return {
    'x-hasura-idempotency-key': key.value,
    'x-hasura-idempotency-operation': field.name,
    'x-hasura-idempotency-fingerprint': fingerprintOf(args),
    'x-hasura-idempotency-record': write.record.table,
    'x-hasura-idempotency-about': `{${targetIdsOf(args).join(',')}}`,
  }
}

const fingerprintOf = (args: Values): string =>
  createHash('sha256')
    .update(JSON.stringify(sortKeys(args)))
    .digest('base64url')

/** The same object sent with its fields in another order is the same request. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object' || 'toJSON' in value) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sortKeys(entry)]),
  )
}
