import type { Authentication, Authenticator, Principal } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { RateLimits } from '@commerce-graph/rate-limits'
import { GraphQLError, OperationTypeNode } from 'graphql'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Contract } from './contract/compose.ts'
import { checkRequest } from './check-request.ts'
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
import { executeMutation } from './mutation/execute-mutation.ts'
import { planMutation } from './mutation/plan-mutation.ts'
import type { QueryPlans } from './plan/query-plans.ts'
import type { Projections } from './projection/projections.ts'
import type { Role } from './projection/types.ts'
import { executeQuery, type QueryContext, type QueryResult } from './query/execute-query.ts'

export interface EndpointParts {
  readonly contract: Contract
  readonly projections: Projections
  readonly documents: Documents
  readonly plans: QueryPlans
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'addressOf'>
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

    const authentication = await parts.authenticator.authenticate(credentialsOf(request))
    if (authentication.kind !== 'authenticated')
      return refusal([authenticationError(authentication)], context)
    const { principal } = authentication
    const admission = await parts.rateLimits.admit(principal)
    if (admission.kind === 'exceeded')
      return withHeaders(refusal([rateExceeded(admission)], context), admission.fields)
    const answered = await answerPrincipal(parts, incoming, principal, body.bytes, context)
    return answered && withHeaders(answered, admission.fields)
  } catch (cause) {
    parts.logger.error({ requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
}

/** From JSON on: what is done for somebody who is known and within its rate. */
async function answerPrincipal(
  parts: EndpointParts,
  incoming: Incoming,
  principal: Principal,
  bytes: Buffer,
  context: AnswerContext,
): Promise<Answer | null> {
  const { request, requestId, signal } = incoming
  try {
    const parsed = parseGraphQLRequest(bytes)
    if (parsed.kind === 'refused') return refusal([parsed.error], context)

    const checked = checkRequest(parts, parsed.request)
    if (checked.kind === 'refused') return refusal(checked.errors, context)
    const { operation, variables } = checked

    const result = await run(parts, operation, variables, queryContext(parts, principal, incoming))
    if (result.kind === 'refused') return refusal(result.errors, context)
    const { [complexityHeader]: asked } = request.headers
    return answer(result, context, asked === undefined ? null : operation.complexity(variables))
  } catch (cause) {
    if (signal.aborted) return abortedAnswer(signal, context)
    if (cause instanceof GraphQLError) return refusal([argumentError(cause)], context)
    parts.logger.error({ requestId, err: cause }, 'a request failed')
    return refusal([unexpectedError()], context)
  }
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

export const roleOf = ({ kind }: Principal): Role => (kind === 'customer' ? 'customer' : 'merchant')

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
  principal: Principal,
  incoming: Incoming,
): QueryContext {
  const { request, requestId, signal } = incoming
  const idempotencyKey = request.headers['idempotency-key']
  const address = (): string | undefined => authenticator.addressOf(credentialsOf(request))
  return {
    dataLayer,
    principal,
    signal,
    headers: {
      'x-request-id': requestId,
      ...(typeof idempotencyKey === 'string' && { 'idempotency-key': idempotencyKey }),
    },
    guesses: {
      secondsToWait: () => guesses.secondsToWait(address()),
      count: () => guesses.count(address()),
    },
    report: (defect) =>
      logger.error({ requestId, merchantId: principal.merchantId, defect }, 'an operation failed'),
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
  { data, errors }: Extract<QueryResult, { kind: 'data' }>,
  context: AnswerContext,
  complexity: number | null,
): Answer {
  const text = JSON.stringify(data)
  const extensions = complexity === null ? '' : `,"extensions":{"complexity":${complexity}}`
  if (errors.length === 0) return { status: 200, body: `{"data":${text}${extensions}}` }
  const told = JSON.stringify(errors.map((error) => errorBody(error, context)))
  const body = `{"errors":${told},"data":${text}${extensions}}`
  return { status: statusOf(data, errors), body, headers: retryAfterHeader(errors) }
}

/** 200 when some root field is untouched by errors: a retry of the whole would do that part again. */
function statusOf(data: Readonly<Record<string, unknown>> | null, errors: readonly CatalogueError[]): number {
  const failed = new Set(errors.map(({ path }) => path?.[0]))
  const untouched = Object.keys(data ?? {}).some((key) => !failed.has(key))
  return untouched ? 200 : (errors[0]?.status ?? 500)
}
