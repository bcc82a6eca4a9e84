import {
  actorOf,
  type Authentication,
  type AuthenticationRequest,
  isJob,
  type Principal,
  rateHolderOf,
} from '@commerce-graph/auth-webhook'
import { networkOf } from '@commerce-graph/http-server'
import {
  type ExecutionArgs,
  GraphQLError,
  type GraphQLFormattedError,
  Kind,
  OperationTypeNode,
} from 'graphql'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { checkRequest } from '../check-request.ts'
import type { PermissionRule } from '@commerce-graph/contract'
import {
  type CatalogueError,
  catalogueError,
  syntaxError,
  unexpectedError,
} from '@commerce-graph/contract/errors'
import { errorBody } from '../errors/error-body.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { credentialsOf } from '../graphql-endpoint.ts'
import { recordRefusal } from '../record-refusal.ts'
import { readGraphQLRequest } from '../http/graphql-request.ts'
import { rateExceeded } from '../limits/rate-exceeded.ts'
import { weighRequest } from '../limits/weigh-request.ts'
import { NullArgumentError } from '../plan/argument-values.ts'
import type { Bound, Request } from '../plan/binding.ts'
import { lacks, roleOf } from '../plan/field-access.ts'
import { planSubscription, type SubscriptionPlan } from '../plan/plan-subscription.ts'
import { RequestRecord } from '../request-record.ts'
import { answerExtensions } from '../shape/answer-extensions.ts'
import { bindSubscription, runSubscription } from '../subscription/run-subscription.ts'
import type { Quota } from './quota.ts'

/** Close codes of graphql-transport-ws, and of WebSocket itself. */
export const closeCodes = {
  goingAway: 1001,
  tryAgainLater: 1013,
  badRequest: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  alreadySubscribed: 4409,
  tooMany: 4429,
} as const

/** A frame takes 123 bytes of it, and a client's own words in it may be any. */
const closeReason = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 123)

/** The parts that connections share. */
export interface ConnectionParts extends EndpointParts {
  readonly merchantQuota: Quota
  /** Of a merchant's shoppers together: the rest is there for its keys and users. */
  readonly shoppersQuota: Quota
  readonly connectionQuota: Quota
  readonly subscriptionQuota: Quota
}

/** An error as it is sent: graphql-ws wants instances of GraphQLError, clients get the body. */
class SentError extends GraphQLError {
  readonly body: GraphQLFormattedError

  constructor(body: GraphQLFormattedError) {
    super(body.message)
    this.body = body
  }
}

export const bodyOf = (error: GraphQLError): GraphQLFormattedError =>
  error instanceof SentError ? error.body : error.toJSON()

/** A subscription that begins. */
interface Beginning {
  readonly requestId: string
  readonly record: RequestRecord
  /** What the client is told in its place. */
  readonly refused: (errors: readonly CatalogueError[]) => readonly GraphQLError[]
}

/** One client's WebSocket: who it is, what it is subscribed to, and when it has to go. */
export class Connection {
  readonly #socket: WebSocket
  readonly #request: IncomingMessage
  readonly #parts: ConnectionParts
  #credentials: AuthenticationRequest | undefined
  #principal: Principal | undefined
  #clientAddress: string | null = null
  #checking = false
  /** The ids of subscriptions that begin. */
  readonly #starting = new Set<string>()
  /** Ends the subscriptions that run. */
  readonly #running = new Set<AbortController>()

  constructor(socket: WebSocket, request: IncomingMessage, parts: ConnectionParts) {
    this.#socket = socket
    this.#request = request
    this.#parts = parts
    socket.once('close', () => {
      if (this.#principal) this.#release(this.#principal)
      this.#principal = undefined
      for (const leaving of this.#running) leaving.abort(hasLeft())
    })
  }

  /** Answers `connection_init`: its payload says who is calling, or else the headers of the upgrade do. */
  async introduce(payload: Readonly<Record<string, unknown>> | undefined): Promise<boolean> {
    const given = payload?.['Authorization'] ?? payload?.['authorization']
    const cartSecret = payload?.['X-Cart-Secret'] ?? payload?.['x-cart-secret']
    const credentials = {
      ...credentialsOf(this.#request),
      ...(typeof given === 'string' && { authorization: given }),
      ...(typeof cartSecret === 'string' && { cartSecret }),
    }
    const authentication = await this.#parts.authenticator.authenticate(credentials)
    if (this.#socket.readyState !== this.#socket.OPEN) return false
    if (authentication.kind !== 'authenticated') {
      this.#refuse(authentication)
      return false
    }
    const { principal, clientAddress } = authentication
    if (isJob(principal)) {
      this.close(closeCodes.forbidden, 'A job only runs queries over HTTP')
      return false
    }
    if (!this.#take(principal, clientAddress)) {
      this.close(closeCodes.tooMany, 'Too many connections')
      return false
    }
    this.#credentials = credentials
    this.#principal = principal
    this.#clientAddress = clientAddress
    return true
  }

  /** The quotas that a connection counts towards: the merchant's, its shoppers', and its holder's. */
  #quotas(principal: Principal, clientAddress: string | null): readonly (readonly [Quota, string])[] {
    const { connectionQuota, merchantQuota, shoppersQuota } = this.#parts
    const { merchantId } = rateHolderOf(principal, clientAddress)
    return [
      [merchantQuota, merchantId],
      ...(principal.kind === 'customer' || principal.kind === 'guest'
        ? [[shoppersQuota, merchantId] as const]
        : []),
      [connectionQuota, holderOf(principal, clientAddress)],
    ]
  }

  #take(principal: Principal, clientAddress: string | null): boolean {
    const taken: (readonly [Quota, string])[] = []
    for (const [quota, holder] of this.#quotas(principal, clientAddress)) {
      if (!quota.take(holder)) {
        for (const [full, of] of taken) full.release(of)
        return false
      }
      taken.push([quota, holder])
    }
    return true
  }

  #release(principal: Principal): void {
    for (const [quota, holder] of this.#quotas(principal, this.#clientAddress)) quota.release(holder)
  }

  /** Sees whether the client may still be here. What it may do is what it could when it came, or it has to come again. */
  async recheck(): Promise<void> {
    if (!this.#credentials || !this.#principal || this.#checking) return
    this.#checking = true
    const authentication = await this.#parts.authenticator
      .authenticate(this.#credentials)
      .finally(() => (this.#checking = false))
    // While that is unknown, nothing is read either: the same database is away.
    if (authentication.kind === 'unavailable') return
    if (authentication.kind !== 'authenticated') this.#refuse(authentication)
    else if (accessOf(authentication.principal) !== accessOf(this.#principal))
      this.close(closeCodes.forbidden, 'Access has changed: connect again')
  }

  #refuse(authentication: Exclude<Authentication, { kind: 'authenticated' }>): void {
    switch (authentication.kind) {
      case 'unavailable':
        this.close(closeCodes.tryAgainLater, 'Try again later')
        return
      case 'refused': {
        const { id, shown } = authentication
        const { status, message } = catalogueError(id, {})
        const code = status === 403 ? closeCodes.forbidden : closeCodes.unauthorized
        this.close(code, closeReason(`${id}: ${shown?.reason ?? message}`))
        return
      }
      default:
        authentication satisfies never
    }
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  /** Sends a message, and resolves when it is on its way. A client that takes none of it for too long is cut off. */
  send(text: string): Promise<void> {
    const { socketSendMilliseconds } = this.#parts.limits
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) {
        resolve()
        return
      }
      const timer = setTimeout(() => this.#socket.terminate(), socketSendMilliseconds)
      this.#socket.send(text, () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /**
   * Begins a subscription: what graphql-ws is to run, or why not. Each one is a request of the merchant's rate. An id that is used
   * again while its first subscription begins closes the connection: graphql-ws would run both, and end only one.
   */
  async start(id: string, payload: unknown): Promise<ExecutionArgs | readonly GraphQLError[]> {
    if (this.#starting.has(id)) {
      this.close(closeCodes.alreadySubscribed, closeReason(`Subscriber for ${id} already exists`))
      return [new SentError(this.#formatted(unexpectedError(), randomUUID()))]
    }
    this.#starting.add(id)
    try {
      return await this.#started(payload)
    } finally {
      this.#starting.delete(id)
    }
  }

  async #started(payload: unknown): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const requestId = randomUUID()
    const record = new RequestRecord(requestId)
    const refused = (errors: readonly CatalogueError[]): readonly GraphQLError[] => {
      record.answered(errors)
      return errors.map((error) => new SentError(this.#formatted(error, requestId)))
    }
    const begun = await this.#begin(payload, { requestId, record, refused }).catch((cause: unknown) => {
      if (cause instanceof NullArgumentError) return refused([cause.refusal])
      this.#parts.logger.error({ requestId, err: cause }, 'a subscription failed')
      return refused([unexpectedError()])
    })
    this.#parts.observe?.(record.ended(false))
    return begun
  }

  async #begin(
    payload: unknown,
    { requestId, record, refused }: Beginning,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const principal = this.#principal
    if (!principal) return refused([unexpectedError()])
    const holder = rateHolderOf(principal, this.#clientAddress)
    const admission = await this.#parts.rateLimits.admit(holder)
    if (admission.kind === 'exceeded') return refused([rateExceeded(admission)])
    const read = readGraphQLRequest(payload)
    if (read.kind === 'refused') return refused([read.error])
    const checked = checkRequest(this.#parts, read.request)
    if (checked.kind === 'refused') return refused(checked.errors)
    const { operation, variables, complexity } = checked
    record.operation = operation
    if (operation.kind !== OperationTypeNode.SUBSCRIPTION)
      return refused([syntaxError(`Send a ${operation.kind} by POST`)])
    const { contract, projections, rateLimits, subscriptionQuota } = this.#parts
    const weighed = await weighRequest(rateLimits, holder, admission, complexity)
    if (weighed.kind === 'refused') return refused([weighed.error])
    // A quota that a closed connection took would never be given back.
    if (this.#principal !== principal) return refused([unexpectedError()])
    const { operation: node, fragments, responseKeys } = operation.prepared
    const denies = (rule: PermissionRule) => lacks(rule, principal)
    const role = roleOf(principal)
    const options = { contract, projections, role, fragments, responseKeys, variables, denies }
    const plan = planSubscription(node, options)
    if (!plan) return refused([syntaxError('The subscription selects nothing')])
    const request: Request = { variables, principal }
    const binding = bindSubscription(plan, request)
    if ('errors' in binding) {
      const caller = { principal, clientAddress: this.#clientAddress, requestId }
      recordRefusal(this.#parts, caller, operation, binding.errors)
      return refused(binding.errors)
    }
    if (!subscriptionQuota.take(holderOf(principal, this.#clientAddress)))
      return refused([catalogueError('SVC_RATE_001', { time: 'ending another subscription' })])
    return {
      schema: contract.schema,
      document: { kind: Kind.DOCUMENT, definitions: [node] },
      contextValue: this.#answers(plan, request, binding.bound, requestId),
    }
  }

  #formatted(error: CatalogueError, requestId: string): GraphQLFormattedError {
    return errorBody(error, { requestId, now: Date.now() }) as GraphQLFormattedError
  }

  /** The answers as messages, to be ended at any moment, also while one is awaited. */
  #answers(
    plan: SubscriptionPlan,
    request: Request,
    bound: Bound,
    requestId: string,
  ): AsyncGenerator<unknown, void, undefined> {
    const { subscriptionQuota } = this.#parts
    const leaving = new AbortController()
    this.#running.add(leaving)
    const answers = this.#run(plan, request, bound, requestId, leaving.signal)
    leaving.signal.addEventListener('abort', () => {
      this.#running.delete(leaving)
      subscriptionQuota.release(holderOf(request.principal, this.#clientAddress))
    })
    const leave = (): Promise<IteratorResult<unknown, void>> => {
      leaving.abort(hasLeft())
      return answers.return(undefined)
    }
    return {
      next: async () => {
        const step = await answers.next()
        if (step.done) leaving.abort()
        return step
      },
      return: leave,
      throw: leave,
      [Symbol.asyncIterator]() {
        return this
      },
      [Symbol.asyncDispose]: async () => {
        await leave()
      },
    }
  }

  async *#run(
    plan: SubscriptionPlan,
    request: Request,
    bound: Bound,
    requestId: string,
    signal: AbortSignal,
  ): AsyncGenerator<unknown, void, undefined> {
    const { dataLayer, limits, logger } = this.#parts
    const { principal } = request
    const actor = actorOf(principal)
    const context = {
      dataLayer,
      principal,
      signal,
      headers: { 'x-request-id': requestId },
      report: (defect: unknown) => logger.error({ requestId, actor, defect }, 'a subscription failed'),
      answerBytes: limits.answerBytes,
    }
    try {
      for await (const answer of runSubscription(plan, request, bound, context)) {
        const { data, errors } = answer
        const extensions = answerExtensions(answer)
        yield {
          ...(errors.length > 0 && { errors: errors.map((error) => this.#formatted(error, requestId)) }),
          data,
          ...(extensions && { extensions }),
        }
      }
    } catch (cause) {
      if (signal.aborted) return
      logger.error({ requestId, err: cause }, 'a subscription failed')
      yield { errors: [this.#formatted(unexpectedError(), requestId)], data: null }
    }
  }
}

const hasLeft = (): DOMException => new DOMException('the client has left', 'AbortError')

/** The key of the quota for connections and subscriptions. */
function holderOf(principal: Principal, clientAddress: string | null): string {
  switch (principal.kind) {
    case 'key':
      return `${principal.merchantId} ${principal.keyId}`
    case 'user':
      return `${principal.merchantId} ${principal.userId}`
    case 'customer':
      return `${principal.merchantId} ${principal.customerId}`
    case 'guest':
      return `${principal.merchantId} guest ${networkOf(clientAddress ?? undefined) ?? 'unknown'}`
    case 'operator':
      return `operator ${principal.operatorKeyId}`
    default:
      return principal satisfies never
  }
}

/** All that what a client sees depends on. */
const accessOf = (principal: Principal): string =>
  JSON.stringify([
    principal.sessionVariables,
    ...(principal.kind === 'operator' ? [] : [principal.plan, principal.features]),
  ])
