import type { IncomingHttpHeaders } from 'node:http'
import { type CatalogueError, invalidFormat } from '@commerce-graph/contract/errors'

/** The client's name for a request. Repeated requests with this name run once. */
export interface IdempotencyKey {
  readonly value: string
  /** Which of several fields of a document, and of several items of a list, it stands for; '' where there is one. */
  readonly part: string
}

/** The length of the column in `platform.idempotency_record`. */
const maxLength = 255
/** Visible characters and spaces of ASCII: they come through every header unchanged. */
const keyFormat = /^[ -~]+$/

export type KeyOfRequest =
  | { readonly kind: 'key'; readonly key: IdempotencyKey | undefined }
  | { readonly kind: 'refused'; readonly error: CatalogueError }

/** The Idempotency-Key of a request. Node joins a header that is sent twice, so it is always one text. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): KeyOfRequest {
  const value = headers['idempotency-key']
  if (value === undefined) return { kind: 'key', key: undefined }
  if (typeof value !== 'string' || value.length > maxLength || !keyFormat.test(value)) {
    const error = invalidFormat('Idempotency-Key', `1 to ${maxLength} characters of ASCII`)
    return { kind: 'refused', error }
  }
  return { kind: 'key', key: { value, part: '' } }
}

/** The key of one of several: each happens once for itself. */
export const keyOfPart = (key: IdempotencyKey | undefined, index: number): IdempotencyKey | undefined =>
  key && { ...key, part: `${key.part}.${index}` }

/** The actions get the key by its header, and the part by a session variable that only the gateway sets. */
export const partVariable = (key: IdempotencyKey | undefined): Readonly<Record<string, string>> =>
  key === undefined || key.part === '' ? {} : { 'x-hasura-idempotency-part': key.part }
