import { type ServedRequest, tracer } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'

export interface RequestLog {
  readonly logger: Logger
  /** From when on a request is slow; absent: never. */
  readonly slowMilliseconds?: number | undefined
}

/** A line for each request at `info`, and at `warn` for a slow one. */
export function logRequest(
  { logger, slowMilliseconds = Number.POSITIVE_INFINITY }: RequestLog,
  { requestId, kind, operationName, fields, outcome, errors, milliseconds }: ServedRequest,
  merchantId: string | undefined,
): void {
  const slow = milliseconds >= slowMilliseconds
  if (!slow && !logger.isLevelEnabled('info')) return
  const line = {
    requestId,
    merchantId,
    kind,
    operation: operationName?.slice(0, maxOperationName),
    fields: fields.map(({ name }) => name),
    outcome,
    errors,
    milliseconds: Math.round(milliseconds),
    traceId: tracer.current()?.traceId,
  }
  if (slow) logger.warn(line, 'a slow request')
  else logger.info(line, 'a request')
}

/** Writes on the request's span what it was. */
export function noteRequest(
  { requestId, kind, operationName, fields, outcome, errors }: ServedRequest,
  merchantId: string | undefined,
): void {
  if (tracer.current() === undefined) return
  const attributes = {
    'http.request.method': 'POST',
    'graphql.operation.type': kind,
    'graphql.operation.name': operationName?.slice(0, maxOperationName),
    'commerce.request.id': requestId,
    'commerce.merchant.id': merchantId,
    'commerce.outcome': outcome,
    'commerce.errors': errors.length === 0 ? undefined : errors.join(' '),
  }
  tracer.note(attributes, `${kind} ${fields.map(({ name }) => name).join(' ')}`)
}

/** Characters of a client's name of its operation that are recorded. */
const maxOperationName = 100
