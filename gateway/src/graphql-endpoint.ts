import {
  actorOf,
  type Authentication,
  type Authenticator,
  isJob,
  type Principal,
  type RateHolder,
  rateHolderOf,
} from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import { networkOf } from '@commerce-graph/http-server'
import type { Admission, RateLimits } from '@commerce-graph/rate-limits'
import { type Observer, type ServedRequest, traceHeaders, tracer } from '@commerce-graph/telemetry'
import { Kind, OperationTypeNode } from 'graphql'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Contract, PermissionRule } from '@commerce-graph/contract'
import { type CheckedRequest, checkRequest } from './check-request.ts'
import type { CheckedOperation, Documents } from './document/documents.ts'
import {
  type CatalogueError,
  catalogueError,
  fieldRequired,
  syntaxError,
  unexpectedError,
  withStatus,
} from '@commerce-graph/contract/errors'
import { type AnswerContext, errorBody, refusalBody } from './errors/error-body.ts'
import { buyerOf, endClientOf } from './http/end-client.ts'
import { checkContentType, parseGraphQLRequest } from './http/graphql-request.ts'
import { mediaTypeFor, type MediaType } from './http/media-type.ts'
import { readBody } from './http/read-body.ts'
import type { Answer, Incoming } from './http/server.ts'
import type { Limits } from './limits/limits.ts'
import { answerTooLarge } from './limits/answer-size.ts'
import { rateExceeded } from './limits/rate-exceeded.ts'
import { weighRequest } from './limits/weigh-request.ts'
import { executeMutation } from './mutation/execute-mutation.ts'
import { idempotencyKeyOf } from './mutation/idempotency-key.ts'
import { planMutation } from './mutation/plan-mutation.ts'
import { NullArgumentError } from './plan/argument-values.ts'
import { lacks, roleOf } from './plan/field-access.ts'
import type { QueryPlans } from './plan/query-plans.ts'
import type { Projections } from './projection/projections.ts'
import { executeQuery, type QueryContext, type QueryResult } from './query/execute-query.ts'
import { RequestRecord } from './request-record.ts'
import { answerExtensions } from './shape/answer-extensions.ts'

/** The request's properties that the answer depends on. */
interface Answering extends AnswerContext {
  readonly mediaType: MediaType
  readonly record: RequestRecord
}

export interface EndpointParts {
  readonly contract: Contract
  readonly projections: Projections
  readonly documents: Documents
  readonly plans: QueryPlans
  readonly authenticator: Pick<Authenticator, 'audit' | 'authenticate' | 'usedKeys'>
  readonly rateLimits: RateLimits
  readonly dataLayer: DataLayer
  readonly limits: Limits
  readonly logger: Logger
  /** Called after each answer; absent where nothing is measured. */
  readonly observe?: Observer['request'] | undefined
  /** From when on a request is slow; absent: never. */
  readonly slowMilliseconds?: number | undefined
}

/**
 * The way of a request, from its bytes to those of the answer:
 * body -> who is calling -> JSON -> document -> variables -> limits -> plan -> run -> answer.
 *
 * @returns null when the client has gone
 */
export function answerGraphQL(parts: EndpointParts, incoming: Incoming): Promise<Answer | null> {
  const parent = incoming.request.headers
  return tracer.span('POST /graphql', { kind: 'server', parent }, async () => {
    const record = new RequestRecord(incoming.requestId)
    const answered = await answerRecorded(parts, incoming, record)
    const served = record.ended(answered === null)
    parts.observe?.(served)
    logRequest(parts, served, record.merchantId)
    noteRequest(served, record.merchantId)
    return answered
  })
}

/** A line for each request at `info`, and at `warn` for a slow one. */
function logRequest(
  { logger, slowMilliseconds = Number.POSITIVE_INFINITY }: Pick<EndpointParts, 'logger' | 'slowMilliseconds'>,
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

function noteRequest(
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

async function answerRecorded(
  parts: EndpointParts,
  incoming: Incoming,
  record: RequestRecord,
): Promise<Answer | null> {
  const { request, requestId } = incoming
  const context = { requestId, now: Date.now(), mediaType: mediaTypeFor(request.headers.accept), record }
  try {
    const wrongType = checkContentType(request.headers)
    if (wrongType) return refusal([wrongType], context)
    const body = await readBody(request, parts.limits)
    if (body.kind === 'aborted') return null
    if (body.kind === 'refused') return refusal([body.error], context)

    const authentication = await parts.authenticator.authenticate({ ...credentialsOf(request), requestId })
    if (authentication.kind !== 'authenticated')
      return refusal([authenticationError(authentication)], context)
    const { principal, clientAddress } = authentication
    if (principal.kind !== 'operator') record.merchantId = principal.merchantId
    const caller = { principal, clientAddress, requestId }
    const holder = rateHolderOf(principal, clientAddress, buyerOf(principal, request))
    const admission = await parts.rateLimits.admit(holder)
    if (admission.kind === 'exceeded') {
      const error = rateExceeded(admission)
      recordRefusal(parts, caller, undefined, [error])
      return withHeaders(refusal([error], context), admission.fields)
    }
    const admitted = { caller, holder, admission, context }
    const answered = await answerAdmitted(parts, incoming, body.bytes, admitted)
    // A request that was counted by its weight has these headers already.
    return answered && withHeaders(answered, { ...admission.fields, ...answered.headers })
  } catch (cause) {
    parts.logger.error({ requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
}

interface Admitted {
  readonly caller: Caller
  readonly holder: RateHolder
  readonly admission: Extract<Admission, { kind: 'admitted' }>
  readonly context: Answering
}

/** From JSON on: what is done for a caller that is known and within its rate. */
async function answerAdmitted(
  parts: EndpointParts,
  incoming: Incoming,
  bytes: Buffer,
  { caller, holder, admission, context }: Admitted,
): Promise<Answer | null> {
  const { requestId, signal } = incoming
  try {
    const parsed = parseGraphQLRequest(bytes)
    if (parsed.kind === 'refused') return refusal([parsed.error], context)

    const checked = checkRequest(parts, parsed.request)
    if (checked.kind === 'refused') return refusal(checked.errors, context)
    const { operation, complexity } = checked
    context.record.operation = operation
    const weighed = await weighRequest(parts.rateLimits, holder, admission, complexity)
    if (weighed.kind === 'refused') {
      recordRefusal(parts, caller, operation, [weighed.error])
      return withHeaders(refusal([weighed.error], context), weighed.fields)
    }
    const answered = await answerOperation(parts, incoming, checked, { caller, context })
    return withHeaders(answered, weighed.fields)
  } catch (cause) {
    if (signal.aborted) return abortedAnswer(signal, context)
    if (cause instanceof NullArgumentError) return refusal([fieldRequired(cause.argument)], context)
    parts.logger.error({ requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
}

async function answerOperation(
  parts: EndpointParts,
  incoming: Incoming,
  checked: Extract<CheckedRequest, { kind: 'request' }>,
  { caller, context }: Pick<Admitted, 'caller' | 'context'>,
): Promise<Answer> {
  const { operation, complexity } = checked
  if (isJob(caller.principal) && operation.kind !== OperationTypeNode.QUERY)
    return refusal([catalogueError('SVC_AUTH_003', {}, { reason: 'A job only reads' })], context)
  const shownComplexity = incoming.request.headers[complexityHeader] === undefined ? null : complexity
  if (operation.stored) return storedAnswer(operation.stored(), shownComplexity, context)
  const endClient = endClientOf(caller.principal, incoming.request, caller.clientAddress)
  if (endClient.kind === 'refused') return refusal([endClient.error], context)
  const keyed = idempotencyKeyOf(incoming.request.headers)
  if (keyed.kind === 'refused' && operation.kind === OperationTypeNode.MUTATION)
    return refusal([keyed.error], context)
  const asked = queryContext(
    parts,
    { ...caller, client: endClient.address, device: endClient.device },
    incoming,
    { operation, record: context.record },
  )
  const result = await run(parts, checked, asked)
  // The audit log already has an entry of a mutation that was refused while it ran.
  if (result.kind === 'refused' || operation.kind === OperationTypeNode.QUERY)
    recordRefusal(parts, caller, operation, result.errors)
  if (result.kind === 'refused') return refusal(result.errors, context)
  const answered = answer(result, context, shownComplexity)
  const size = Buffer.byteLength(answered.body)
  const { answerBytes } = parts.limits
  if (size > answerBytes) return refusal([answerTooLarge(size, answerBytes)], context)
  return { ...answered, compressible: operation.kind === OperationTypeNode.QUERY }
}

function run(
  { contract, projections, plans }: EndpointParts,
  { operation: { kind, prepared }, variables, faults }: Extract<CheckedRequest, { kind: 'request' }>,
  context: QueryContext,
): Promise<QueryResult> {
  const { principal } = context
  switch (kind) {
    case OperationTypeNode.QUERY:
      return executeQuery(plans.planFor(prepared, principal, variables), variables, context)
    case OperationTypeNode.MUTATION: {
      const { operation, fragments, responseKeys } = prepared
      const denies = (rule: PermissionRule) => lacks(rule, principal)
      const role = roleOf(principal)
      const options = { contract, projections, role, fragments, responseKeys, variables, denies, faults }
      return executeMutation(planMutation(operation, options, { variables, principal }), context)
    }
    case OperationTypeNode.SUBSCRIPTION: {
      const reason =
        'Subscriptions run over WebSocket at this address, with the protocol graphql-transport-ws'
      return Promise.resolve({ kind: 'refused', errors: [syntaxError(reason)] })
    }
    default:
      return kind satisfies never
  }
}

/**
 * Records a refused operation in the merchant's audit log.
 *
 * @param operation undefined: the document was not read yet
 */
export function recordRefusal(
  { authenticator: { audit } }: Pick<EndpointParts, 'authenticator'>,
  { principal, clientAddress, requestId }: Caller,
  operation: CheckedOperation | undefined,
  errors: readonly CatalogueError[],
): void {
  const error = errors.find(({ status }) => status === 401 || status === 403 || status === 429)
  if (error === undefined) return
  audit.refused({
    actor: actorOf(principal),
    code: error.id,
    clientAddress,
    requestId,
    source: 'CONTRACT',
    operation: operation === undefined ? null : rootFieldsOf(operation),
  })
}

export interface Caller {
  readonly principal: Principal
  readonly clientAddress: string | null
  readonly requestId: string
}

const rootFieldsOf = ({ prepared: { operation } }: CheckedOperation): string =>
  operation.selectionSet.selections
    .map((selection) => (selection.kind === Kind.FIELD ? selection.name.value : '…'))
    .join(', ')

export function credentialsOf({
  headers,
  socket,
}: IncomingMessage): Parameters<Authenticator['authenticate']>[0] {
  const { 'x-forwarded-for': forwardedFor, 'x-cart-secret': cartSecret } = headers
  return {
    authorization: headers.authorization,
    remoteAddress: socket.remoteAddress,
    forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(', ') : forwardedFor,
    origin: headers.origin,
    cartSecret: Array.isArray(cartSecret) ? cartSecret.join(', ') : cartSecret,
  }
}

function authenticationError(
  authentication: Exclude<Authentication, { kind: 'authenticated' }>,
): CatalogueError {
  switch (authentication.kind) {
    case 'refused':
      return catalogueError(authentication.id, {}, authentication.shown ?? { field: 'Authorization' })
    case 'unavailable':
      return withStatus(unexpectedError(), 503)
    default:
      return authentication satisfies never
  }
}

function queryContext(
  {
    authenticator,
    rateLimits: { guesses, couponGuesses },
    dataLayer,
    limits: { answerBytes },
    logger,
  }: EndpointParts,
  {
    principal,
    clientAddress,
    client,
    device,
  }: Caller & { readonly client: string | undefined; readonly device: string | undefined },
  incoming: Incoming,
  {
    operation: { prepared },
    record,
  }: { readonly operation: CheckedOperation; readonly record: RequestRecord },
): QueryContext {
  const { request, requestId, signal } = incoming
  const { merchantId } = rateHolderOf(principal, clientAddress)
  const keyed = idempotencyKeyOf(request.headers)
  const idempotencyKey = keyed.kind === 'key' ? keyed.key : undefined
  return {
    dataLayer,
    principal,
    signal,
    headers: {
      'x-request-id': requestId,
      ...traceHeaders(),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey.value }),
    },
    idempotencyKey,
    usedKeys: authenticator.usedKeys,
    answerBytes,
    refused: (field, errors) => record.refused(field, errors),
    endClient: {
      network: networkOf(client),
      device,
      beginGuess: () => guesses.begin({ merchantId, client }),
      beginCoupon: (holder) => couponGuesses.begin(`${merchantId} ${holder}`),
    },
    audit: {
      trail: authenticator.audit,
      clientAddress,
      requestId,
      source: 'CONTRACT',
      operationName: prepared.operation.name?.value ?? null,
    },
    report: (defect) => logger.error({ requestId, actor: actorOf(principal), defect }, 'an operation failed'),
  }
}

function abortedAnswer(signal: AbortSignal, context: Answering): Answer | null {
  const timedOut = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  return timedOut ? refusal([withStatus(unexpectedError(), 503)], context) : null
}

function refusal(errors: readonly CatalogueError[], context: Answering): Answer {
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

const withHeaders = (answered: Answer, headers: OutgoingHttpHeaders): Answer => ({
  ...answered,
  headers: { ...answered.headers, ...headers },
})

/** Of an answer to what was carried out by an earlier request with the same Idempotency-Key, in whole or in part. */
const replayedHeader = { 'idempotency-replayed': 'true' }

/** A client that sends it gets the request's estimated cost in `extensions`. */
const complexityHeader = 'x-complexity'

function answer(
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
    body,
    headers: { ...headers, ...retryAfterHeader(errors) },
  }
}

function storedAnswer(schema: Buffer, complexity: number | null, context: Answering): Answer {
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
