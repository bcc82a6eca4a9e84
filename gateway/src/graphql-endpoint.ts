import type { Answered } from '@commerce-graph/answer-cache'
import {
  type Authentication,
  type Authenticator,
  isJob,
  type RateHolder,
  rateHolderOf,
} from '@commerce-graph/auth-webhook'
import type { PermissionRule } from '@commerce-graph/contract'
import {
  type CatalogueError,
  catalogueError,
  syntaxError,
  unexpectedError,
  withStatus,
} from '@commerce-graph/contract/errors'
import type { Admission } from '@commerce-graph/rate-limits'
import { tracer } from '@commerce-graph/telemetry'
import { OperationTypeNode } from 'graphql'
import type { IncomingMessage } from 'node:http'
import { abortedAnswer, answer, type Answering, refusal, storedAnswer, withHeaders } from './answer.ts'
import { type CheckedRequest, checkRequest } from './check-request.ts'
import type { EndpointParts } from './endpoint-parts.ts'
import { cacheable, faultOfGet } from './http/cacheable.ts'
import { buyerOf, endClientOf } from './http/end-client.ts'
import { type ParsedRequest, parseGraphQLRequest } from './http/graphql-request.ts'
import { type MediaType, mediaTypeFor } from './http/media-type.ts'
import { receiveRequest } from './http/receive-request.ts'
import type { Answer, Incoming } from './http/server.ts'
import { answerTooLarge } from './limits/answer-size.ts'
import { rateExceeded } from './limits/rate-exceeded.ts'
import { weighRequest } from './limits/weigh-request.ts'
import { executeMutation } from './mutation/execute-mutation.ts'
import { idempotencyKeyOf } from './mutation/idempotency-key.ts'
import { planMutation } from './mutation/plan-mutation.ts'
import { NullArgumentError } from './plan/argument-values.ts'
import { lacks, roleOf } from './plan/field-access.ts'
import { executeQuery, type QueryContext, type QueryResult } from './query/execute-query.ts'
import { queryContext } from './query-context.ts'
import { type Caller, recordRefusal } from './record-refusal.ts'
import { logRequest, noteRequest } from './request-log.ts'
import { RequestRecord } from './request-record.ts'

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

async function answerRecorded(
  parts: EndpointParts,
  incoming: Incoming,
  record: RequestRecord,
): Promise<Answer | null> {
  const { request, requestId } = incoming
  const context = { requestId, now: Date.now(), mediaType: mediaTypeFor(request.headers.accept), record }
  try {
    const received = await receiveRequest(request, parts.limits)
    if (received.kind === 'aborted') return null
    if (received.kind === 'refused') return refusal([received.error], context)

    const authentication = await parts.authenticator.authenticate({ ...credentialsOf(request), requestId })
    return await answerAuthenticated(parts, incoming, received.parse, { authentication, context })
  } catch (cause) {
    parts.logger.error({ requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
}

/** From the caller on, whoever it is: its rate, and then its request. */
async function answerAuthenticated(
  parts: EndpointParts,
  incoming: Incoming,
  parse: () => ParsedRequest,
  { authentication, context }: { readonly authentication: Authentication; readonly context: Answering },
): Promise<Answer | null> {
  const { request, requestId } = incoming
  const { record } = context
  if (authentication.kind !== 'authenticated') return refusal([authenticationError(authentication)], context)
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
  const answered = await answerAdmitted(parts, incoming, parse, admitted)
  // A request that was counted by its weight has these headers already.
  return answered && withHeaders(answered, { ...admission.fields, ...answered.headers })
}

/**
 * Runs a document of the platform's own for a caller that has no credential: what `/admin` asks when somebody signs in.
 *
 * @param text the body, as a client would post it
 */
export async function answerOwnDocument(
  parts: EndpointParts,
  incoming: Incoming,
  text: string,
  authentication: Authentication,
): Promise<Answer | null> {
  const record = new RequestRecord(incoming.requestId)
  const context = { requestId: incoming.requestId, now: Date.now(), mediaType: ownMediaType, record }
  try {
    const parse = () => parseGraphQLRequest(Buffer.from(text))
    const answered = await answerAuthenticated(parts, incoming, parse, { authentication, context })
    parts.observe?.(record.ended(answered === null))
    return answered
  } catch (cause) {
    parts.logger.error({ requestId: incoming.requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
}

const ownMediaType: MediaType = 'application/json'

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
  parse: () => ParsedRequest,
  { caller, holder, admission, context }: Admitted,
): Promise<Answer | null> {
  const { request, requestId, signal } = incoming
  try {
    const parsed = parse()
    if (parsed.kind === 'refused') return refusal([parsed.error], context)

    const checked = checkRequest(parts, parsed.request)
    if (checked.kind === 'refused') return refusal(checked.errors, context)
    const { operation, complexity } = checked
    context.record.operation = operation
    const misplaced = request.method === 'GET' ? faultOfGet(caller.principal, operation.kind) : null
    if (misplaced) return refusal([misplaced], context)
    const weighed = await weighRequest(parts.rateLimits, holder, admission, complexity)
    if (weighed.kind === 'refused') {
      recordRefusal(parts, caller, operation, [weighed.error])
      return withHeaders(refusal([weighed.error], context), weighed.fields)
    }
    const answered = await answerOperation(parts, incoming, checked, { caller, context })
    return withHeaders(
      request.method === 'GET' ? cacheable(answered, request, caller.principal) : answered,
      weighed.fields,
    )
  } catch (cause) {
    if (signal.aborted) return abortedAnswer(signal, context)
    if (cause instanceof NullArgumentError) return refusal([cause.refusal], context)
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
  const read = async (wantsValidity: boolean): Promise<Answered<Answer>> => {
    const asked = queryContext(
      parts,
      { ...caller, client: endClient.address, device: endClient.device },
      incoming,
      {
        operation,
        record: context.record,
        mayLag: (await parts.replicaReads?.allows(caller.principal, operation)) ?? false,
        wantsValidity,
      },
    )
    return answerRead(parts, checked, asked, { caller, context, shownComplexity })
  }
  if (parts.keptAnswers === undefined || operation.kind !== OperationTypeNode.QUERY)
    return (await read(false)).value
  const { principal } = caller
  const showsComplexity = shownComplexity !== null
  return parts.keptAnswers.answer({ checked, principal, mediaType: context.mediaType, showsComplexity }, read)
}

/** Runs an operation. The answer may be kept if it has data alone: errors name their request, and are counted for it. */
async function answerRead(
  parts: EndpointParts,
  checked: Extract<CheckedRequest, { kind: 'request' }>,
  asked: QueryContext,
  { caller, context, shownComplexity }: Reading,
): Promise<Answered<Answer>> {
  const { operation } = checked
  const result = await run(parts, checked, asked)
  if (operation.kind === OperationTypeNode.MUTATION) await parts.replicaReads?.wrote(caller.principal)
  // The audit log already has an entry of a mutation that was refused while it ran.
  if (result.kind === 'refused' || operation.kind === OperationTypeNode.QUERY)
    recordRefusal(parts, caller, operation, result.errors)
  if (result.kind === 'refused') return unkept(refusal(result.errors, context))
  const answered = answer(result, context, shownComplexity)
  const size = Buffer.byteLength(answered.body)
  const { answerBytes } = parts.limits
  if (size > answerBytes) return unkept(refusal([answerTooLarge(size, answerBytes)], context))
  return {
    value: { ...answered, compressible: operation.kind === OperationTypeNode.QUERY },
    validity: result.errors.length === 0 ? result.validity : undefined,
  }
}

const unkept = (value: Answer): Answered<Answer> => ({ value, validity: undefined })

interface Reading extends Pick<Admitted, 'caller' | 'context'> {
  /** Shown in `extensions`; null: not asked for. */
  readonly shownComplexity: number | null
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

/** A client that sends it gets the request's estimated cost in `extensions`. */
const complexityHeader = 'x-complexity'
