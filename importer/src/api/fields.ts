import { print } from 'graphql'
import { Unavailable } from './api-error.ts'
import { aliasOf, batchOf, type Field } from './batch.ts'
import { isRetryable, type ApiAnswer, type ApiError, type CommerceApi } from './commerce-api.ts'

export type FieldResult<Value> =
  | { readonly kind: 'data'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: ApiError; readonly retryable: boolean }

// The gateway runs at most 20 fields per document and reads at most a megabyte.
const maxFields = 20
const maxBytes = 700_000

/**
 * Runs many fields in few requests, as many per document as the API accepts. Mutations run in their order. A failed
 * field does not affect the others.
 *
 * @param idempotencyKey of fields that fit into one document
 * @returns the results, in the order of the fields
 * @throws Unavailable if the answer lacks a field
 */
export async function runFields<Value>(
  api: CommerceApi,
  fields: readonly Field<Value>[],
  idempotencyKey?: string,
): Promise<FieldResult<Value>[]> {
  const results: FieldResult<Value>[] = []
  for (const chunk of chunksOf(fields)) {
    const { document, variables } = batchOf(chunk)
    const answer = await api.send(document, variables, {
      repeatable: !chunk.some(({ creates }) => creates),
      idempotencyKey,
    })
    for (const index of chunk.keys()) results.push(resultOf(aliasOf(index), answer))
  }
  return results
}

function* chunksOf<Value>(fields: readonly Field<Value>[]): Generator<Field<Value>[]> {
  let chunk: Field<Value>[] = []
  let bytes = 0
  for (const field of fields) {
    const size = Buffer.byteLength(JSON.stringify(field.variables)) + print(field.document).length
    if (chunk.length === maxFields || (chunk.length > 0 && bytes + size > maxBytes)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(field)
    bytes += size
  }
  if (chunk.length > 0) yield chunk
}

function resultOf<Value>(
  alias: string,
  { data, errors }: ApiAnswer<Readonly<Record<string, Value>>>,
): FieldResult<Value> {
  const error = errors.find(({ path }) => path[0] === alias)
  if (error !== undefined) return { kind: 'failed', error, retryable: isRetryable(error) }
  const value = data[alias]
  if (value === undefined) throw new Unavailable('the answer lacks a field')
  return { kind: 'data', value }
}
