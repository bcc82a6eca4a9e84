import {
  actorOf,
  type Authentication,
  type Authenticator,
  type Principal,
  rateHolderOf,
} from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { Admission, RateLimits } from '@commerce-graph/rate-limits'
import { GraphQLError, Kind, OperationTypeNode } from 'graphql'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Contract } from './contract/compose.ts'
import { type CheckedRequest, checkRequest } from './check-request.ts'
import type { CheckedOperation, Documents } from './document/documents.ts'
import type { Variables } from './document/variables.ts'
import {
  type CatalogueError,
  catalogueError,
  fieldRequired,
  syntaxError,
  unexpectedError,
  withStatus,
} from './errors/catalogue-error.ts'
import { type AnswerContext, errorBody, refusalBody } from './errors/error-body.ts'
import { checkContentType, parseGraphQLRequest } from './http/graphql-request.ts'
import { readBody } from './http/read-body.ts'
import type { Answer, Incoming } from './http/server.ts'
import type { Limits } from './limits/limits.ts'
import { rateExceeded, tooManyGuesses } from './limits/rate-exceeded.ts'
import { weighRequest } from './limits/weigh-request.ts'
import { executeMutation } from './mutation/execute-mutation.ts'
import { planMutation } from './mutation/plan-mutation.ts'
import type { QueryPlans } from './plan/query-plans.ts'
import type { Projections } from './projection/projections.ts'
import type { Role } from './projection/types.ts'
import { executeQuery, type QueryContext, type QueryResult } from './query/execute-query.ts'
import { answerExtensions } from './shape/answer-extensions.ts'

export interface EndpointParts {
  readonly contract: Contract
  readonly projections: Projections
  readonly documents: Documents
  readonly plans: QueryPlans
  readonly authenticator: Pick<Authenticator, 'audit' | 'authenticate'>
  readonly rateLimits: RateLimits
  readonly dataLayer: DataLayer
  readonly limits: Limits
  readonly logger: Logger
}

/**
 * The way of a request, from its bytes to those of the answer:
 * body -> who is calling -> JSON -> document -> variables -> limits -> plan -> run -> answer.
 *
 * @returns null when the client has gone
 */
export async function answerGraphQL(parts: EndpointParts, incoming: Incoming): Promise<Answer | null> {
  const { request, requestId } = incoming
  const context = { requestId, now: Date.now() }
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
    const caller = { principal, clientAddress, requestId }
    const admission = await parts.rateLimits.admit(rateHolderOf(principal))
    if (admission.kind === 'exceeded') {
      const error = rateExceeded(admission)
      recordRefusal(parts, caller, undefined, [error])
      return withHeaders(refusal([error], context), admission.fields)
    }
    const admitted = { caller, admission, context }
    const answered = await answerAdmitted(parts, incoming, body.bytes, admitted)
    // What was counted by its weight says so already.
    return answered && withHeaders(answered, { ...admission.fields, ...answered.headers })
  } catch (cause) {
    parts.logger.error({ requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
}

interface Admitted {
  readonly caller: Caller
  readonly admission: Extract<Admission, { kind: 'admitted' }>
  readonly context: AnswerContext
}

/** From JSON on: what is done for a caller that is known and within its rate. */
async function answerAdmitted(
  parts: EndpointParts,
  incoming: Incoming,
  bytes: Buffer,
  { caller, admission, context }: Admitted,
): Promise<Answer | null> {
  const { requestId, signal } = incoming
  try {
    const parsed = parseGraphQLRequest(bytes)
    if (parsed.kind === 'refused') return refusal([parsed.error], context)

    const checked = checkRequest(parts, parsed.request)
    if (checked.kind === 'refused') return refusal(checked.errors, context)
    const { operation, complexity } = checked
    const weighed = await weighRequest(parts.rateLimits, caller.principal, admission, complexity)
    if (weighed.kind === 'refused') {
      recordRefusal(parts, caller, operation, [weighed.error])
      return withHeaders(refusal([weighed.error], context), weighed.fields)
    }
    const answered = await answerOperation(parts, incoming, checked, { caller, context })
    return withHeaders(answered, weighed.fields)
  } catch (cause) {
    if (signal.aborted) return abortedAnswer(signal, context)
    if (cause instanceof GraphQLError) return refusal([argumentError(cause)], context)
    parts.logger.error({ requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
}

async function answerOperation(
  parts: EndpointParts,
  incoming: Incoming,
  { operation, variables, complexity }: Extract<CheckedRequest, { kind: 'request' }>,
  { caller, context }: Pick<Admitted, 'caller' | 'context'>,
): Promise<Answer> {
  const told = incoming.request.headers[complexityHeader] === undefined ? null : complexity
  if (operation.stored) return storedAnswer(operation.stored(), told)
  const result = await run(parts, operation, variables, queryContext(parts, caller, incoming, operation))
  if (result.kind === 'refused') {
    recordRefusal(parts, caller, operation, result.errors)
    return refusal(result.errors, context)
  }
  return answer(result, context, told)
}

function run(
  { contract, projections, plans }: EndpointParts,
  { kind, prepared }: CheckedOperation,
  variables: Variables,
  context: QueryContext,
): Promise<QueryResult> {
  const { principal } = context
  const role = roleOf(principal)
  switch (kind) {
    case OperationTypeNode.QUERY:
      return executeQuery(plans.planFor(prepared, role, variables), variables, context)
    case OperationTypeNode.MUTATION: {
      const { operation, fragments, responseKeys } = prepared
      const options = { contract, projections, role, fragments, responseKeys, variables }
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

/** What a caller may not do is written down for the merchant. @param operation undefined before it was read */
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

export function roleOf({ kind }: Principal): Role {
  switch (kind) {
    case 'key':
    case 'user':
      return 'merchant'
    case 'customer':
    case 'operator':
      return kind
    default:
      return kind satisfies never
  }
}

export function credentialsOf({
  headers,
  socket,
}: IncomingMessage): Parameters<Authenticator['authenticate']>[0] {
  const forwardedFor = headers['x-forwarded-for']
  return {
    authorization: headers.authorization,
    remoteAddress: socket.remoteAddress,
    forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(', ') : forwardedFor,
  }
}

function authenticationError(
  authentication: Exclude<Authentication, { kind: 'authenticated' }>,
): CatalogueError {
  switch (authentication.kind) {
    case 'refused':
      return catalogueError(authentication.id, {}, { field: 'Authorization' })
    case 'too-many-guesses':
      return tooManyGuesses(authentication.retryAfter)
    case 'unavailable':
      return withStatus(unexpectedError(), 503)
    default:
      return authentication satisfies never
  }
}

function queryContext(
  { authenticator, rateLimits: { guesses }, dataLayer, logger }: EndpointParts,
  { principal, clientAddress }: Caller,
  incoming: Incoming,
  { prepared }: CheckedOperation,
): QueryContext {
  const { request, requestId, signal } = incoming
  const idempotencyKey = request.headers['idempotency-key']
  const address = clientAddress ?? undefined
  return {
    dataLayer,
    principal,
    signal,
    headers: {
      'x-request-id': requestId,
      ...(typeof idempotencyKey === 'string' && { 'idempotency-key': idempotencyKey }),
    },
    guesses: {
      secondsToWait: () => guesses.secondsToWait(address),
      count: () => guesses.count(address),
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

/** A variable that is null where an argument must not be: types allow it, values don't. graphql-js says so late. */
function argumentError({ message }: GraphQLError): CatalogueError {
  const argument = /^Argument "([^"]*)"/.exec(message)?.[1]
  return argument === undefined ? syntaxError(message) : fieldRequired(argument)
}

function abortedAnswer(signal: AbortSignal, context: AnswerContext): Answer | null {
  const timedOut = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  return timedOut ? refusal([withStatus(unexpectedError(), 503)], context) : null
}

function refusal(errors: readonly CatalogueError[], context: AnswerContext): Answer {
  return {
    status: errors[0]?.status ?? 500,
    body: refusalBody(errors, context),
    headers: retryAfterHeader(errors),
  }
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

/** Whoever sends it is told in `extensions` what the request was estimated to cost. */
const complexityHeader = 'x-complexity'

function answer(
  { data, errors, shortened }: Extract<QueryResult, { kind: 'data' }>,
  context: AnswerContext,
  complexity: number | null,
): Answer {
  const text = JSON.stringify(data)
  const told = answerExtensions(shortened, complexity)
  const extensions = told ? `,"extensions":${JSON.stringify(told)}` : ''
  if (errors.length === 0) return { status: 200, body: `{"data":${text}${extensions}}` }
  const bodies = JSON.stringify(errors.map((error) => errorBody(error, context)))
  const body = `{"errors":${bodies},"data":${text}${extensions}}`
  return { status: statusOf(data, errors), body, headers: retryAfterHeader(errors) }
}

function storedAnswer(schema: Buffer, complexity: number | null): Answer {
  const told = answerExtensions([], complexity)
  const end = told ? `},"extensions":${JSON.stringify(told)}}` : '}}'
  return { status: 200, body: Buffer.concat([Buffer.from('{"data":{"__schema":'), schema, Buffer.from(end)]) }
}

/** 200 when some root field is untouched by errors: a retry of the whole would do that part again. */
function statusOf(data: Readonly<Record<string, unknown>> | null, errors: readonly CatalogueError[]): number {
  const failed = new Set(errors.map(({ path }) => path?.[0]))
  const untouched = Object.keys(data ?? {}).some((key) => !failed.has(key))
  return untouched ? 200 : (errors[0]?.status ?? 500)
}
