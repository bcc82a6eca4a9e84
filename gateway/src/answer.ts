import { type CatalogueError, unexpectedError, withStatus } from '@commerce-graph/contract/errors'
import type { OutgoingHttpHeaders } from 'node:http'
import { type AnswerContext, errorBody, refusalBody } from './errors/error-body.ts'
import type { MediaType } from './http/media-type.ts'
import type { Answer } from './http/server.ts'
import type { QueryResult } from './query/execute-query.ts'
import type { RequestRecord } from './request-record.ts'
import { answerExtensions } from './shape/answer-extensions.ts'

/** The request's properties that the answer depends on. */
export interface Answering extends AnswerContext {
  readonly mediaType: MediaType
  readonly record: RequestRecord
}

/** The answer to a request whose time is up; null when its client has gone. */
export function abortedAnswer(signal: AbortSignal, context: Answering): Answer | null {
  const timedOut = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  return timedOut ? refusal([withStatus(unexpectedError(), 503)], context) : null
}

/** The answer to a request that was refused as a whole. */
export function refusal(errors: readonly CatalogueError[], context: Answering): Answer {
  context.record.answered(errors)
  return {
    status: errors[0]?.status ?? 500,
    body: refusalBody(errors, context),
    headers: { ...typeHeader(context), ...retryAfterHeader(errors), ...challengeHeader(errors) },
  }
}

const typeHeader = ({ mediaType }: Answering): OutgoingHttpHeaders => ({
  'content-type': `${mediaType}; charset=utf-8`,
})

/** The challenge (RFC 6750) for a caller without a valid credential. */
function challengeHeader([error]: readonly CatalogueError[]): OutgoingHttpHeaders {
  if (error?.status !== 401) return {}
  const reason =
    error.id === 'SVC_AUTH_002' ? `, error="invalid_token", error_description="${error.message}"` : ''
  return { 'www-authenticate': `Bearer realm="Commerce Graph"${reason}` }
}

/** When it makes sense to try again, where one of the errors says so. */
function retryAfterHeader(errors: readonly CatalogueError[]): OutgoingHttpHeaders {
  const seconds = errors
    .map(({ details }) => details['retryAfter'])
    .filter((value) => typeof value === 'number')
  return seconds.length > 0 ? { 'retry-after': String(Math.max(...seconds)) } : {}
}

export const withHeaders = (answered: Answer, headers: OutgoingHttpHeaders): Answer => ({
  ...answered,
  headers: { ...answered.headers, ...headers },
})

/** Of an answer to what was carried out by an earlier request with the same Idempotency-Key, in whole or in part. */
const replayedHeader = { 'idempotency-replayed': 'true' }

/**
 * The answer to an operation that ran.
 *
 * @param complexity shown in `extensions`; null: not asked for
 */
export function answer(
  result: Extract<QueryResult, { kind: 'data' }>,
  context: Answering,
  complexity: number | null,
): Answer {
  const { data, errors } = result
  context.record.answered(errors)
  // Nothing was run, and no field is at fault: as GraphQL has it, that is no data, which a status can tell.
  const nothingRun = data === null && errors.every(({ path }) => path === undefined)
  if (nothingRun && context.mediaType === 'application/graphql-response+json') return refusal(errors, context)
  const text = JSON.stringify(data)
  const shown = answerExtensions(result, complexity)
  const extensions = shown ? `,"extensions":${JSON.stringify(shown)}` : ''
  const headers = { ...typeHeader(context), ...(result.replayed === true && replayedHeader) }
  if (errors.length === 0) return { status: 200, body: `{"data":${text}${extensions}}`, headers }
  const bodies = JSON.stringify(errors.map((error) => errorBody(error, context)))
  const body = `{"errors":${bodies},"data":${text}${extensions}}`
  return {
    status: statusOf(data, errors, context),
    hasErrors: true,
    body,
    headers: { ...headers, ...retryAfterHeader(errors) },
  }
}

/** The answer to an introspection whose text is stored. */
export function storedAnswer(schema: Buffer, complexity: number | null, context: Answering): Answer {
  const shown = answerExtensions({ shortened: [] }, complexity)
  const end = shown ? `},"extensions":${JSON.stringify(shown)}}` : '}}'
  const body = Buffer.concat([Buffer.from('{"data":{"__schema":'), schema, Buffer.from(end)])
  return { status: 200, body, headers: typeHeader(context), compressible: true }
}

/**
 * As `application/json`: 200 when some root field is untouched by errors, since a retry of the whole would do that part again,
 * else the status of the first error. GraphQL over HTTP has 200 for whatever was run.
 */
function statusOf(
  data: Readonly<Record<string, unknown>> | null,
  errors: readonly CatalogueError[],
  { mediaType }: Answering,
): number {
  if (mediaType === 'application/graphql-response+json') return 200
  const failed = new Set(errors.map(({ path }) => path?.[0]))
  const untouched = Object.keys(data ?? {}).some((key) => !failed.has(key))
  return untouched ? 200 : (errors[0]?.status ?? 500)
}
