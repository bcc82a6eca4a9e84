import type { IncomingHttpHeaders } from 'node:http'
import { setInterval, setTimeout } from 'node:timers'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import { failureOf } from '../../execute/request-failure.ts'
import type { GraphQLRequest, GraphQLResult } from '../../graphql-request.ts'
import { HasuraError } from '../../hasura-error.ts'
import { bearsAdminSecret } from '../../session/authenticator.ts'
import type { Session, SessionCheck } from '../../session/types.ts'
import type { GraphQLApi } from '../../schema/role-schema.ts'
import type { Api } from '../api.ts'
import { parseRequest } from '../graphql-endpoint.ts'
import { type ClientMessage, type Protocol, type Violation, readMessage } from './protocol.ts'

export interface ConnectionLimits {
  /** Milliseconds from the upgrade to connection_init. */
  readonly initTimeoutMs: number
  readonly keepAliveMs: number
  /** Milliseconds that a query or mutation may take. */
  readonly requestTimeoutMs: number
  /** How many operations (queries, mutations, subscriptions) may run at once on one connection. */
  readonly maxOperations: number
  /** The most unread bytes; a client with more of them is dropped at the next message. */
  readonly maxBufferedBytes: number
  /** Milliseconds in which the client has to read some of a message. */
  readonly sendMilliseconds: number
}

/** The API that the connection uses, with the schema of its URL. */
export interface ConnectionEndpoint extends Pick<Api, 'authenticator' | 'executor' | 'hub'> {
  readonly api: GraphQLApi
}

/** The client at the other end: its socket, the protocol that was agreed on, and the headers of its upgrade request. */
export interface ConnectionClient {
  readonly socket: WebSocket
  readonly protocol: Protocol
  readonly upgradeHeaders: IncomingHttpHeaders
}

/** A running operation. Aborting it cancels the statement, or ends the subscription. */
type Operation = AbortController

/** A ping may wait behind a large answer on a slow line, so some unanswered pings are allowed. */
const maxUnansweredPings = 6

const longestTimerMs = 2_147_483_647

/**
 * Serves one client until the socket closes: authenticates it (`connection_init`), runs its operations, and drops it
 * when it doesn't read their answers.
 */
export class Connection {
  readonly #socket: WebSocket
  readonly #protocol: Protocol
  readonly #upgradeHeaders: IncomingHttpHeaders
  readonly #endpoint: ConnectionEndpoint
  readonly #limits: ConnectionLimits
  readonly #logger: Logger
  readonly #operations = new Map<string, Operation>()
  readonly #keepingAlive: NodeJS.Timeout
  /** The client's session, once `connection_init` has come; resolves to undefined when that was refused. */
  #introduction: Promise<Introduction | undefined> | undefined
  #authenticating = false
  #deadline: NodeJS.Timeout | undefined
  #expiry: NodeJS.Timeout | undefined
  #unansweredPings = 0

  constructor(
    { socket, protocol, upgradeHeaders }: ConnectionClient,
    endpoint: ConnectionEndpoint,
    limits: ConnectionLimits,
    logger: Logger,
  ) {
    this.#socket = socket
    this.#protocol = protocol
    this.#upgradeHeaders = upgradeHeaders
    this.#endpoint = endpoint
    this.#limits = limits
    this.#logger = logger
    socket.on('message', (data: Buffer) => this.#handle(readMessage(data.toString('utf8'))))
    socket.on('pong', () => (this.#unansweredPings = 0))
    // The socket closes itself after an error, like a frame that is too long or malformed.
    socket.on('error', (error) => logger.debug({ err: error }, 'a WebSocket failed'))
    socket.once('close', () => this.#end())
    if (protocol.hasInitTimeout) this.#awaitIntroduction()
    this.#send(protocol.keepAlive)
    this.#keepingAlive = setInterval(() => this.#keepAlive(), limits.keepAliveMs)
  }

  #handle(message: ClientMessage): void {
    switch (message.kind) {
      case 'init': {
        this.#introduce(message.headers)
        return
      }
      case 'start': {
        this.#start(message.id, message.payload)
        return
      }
      case 'stop': {
        const operation = this.#operations.get(message.id)
        this.#operations.delete(message.id)
        operation?.abort(new Error('the client has stopped the operation'))
        return
      }
      case 'ping': {
        this.#send(JSON.stringify({ type: 'pong', payload: message.payload }))
        return
      }
      case 'pong':
        return
      case 'terminate': {
        this.#socket.close(1000, 'GQL_CONNECTION_TERMINATE received')
        return
      }
      case 'invalid': {
        this.#refuse({ kind: 'invalid-message', reason: message.reason })
        return
      }
      default:
        return message satisfies never
    }
  }

  #introduce(given: Readonly<Record<string, string>>): void {
    const again = this.#introduction !== undefined
    if (this.#authenticating || (again && !this.#protocol.mayReintroduce)) {
      this.#refuse({ kind: 'initialised-before' })
      return
    }
    // A proxy may have set the upgrade's headers, so they take precedence over the client's.
    this.#introduction = this.#authenticate({ ...given, ...this.#upgradeHeaders })
  }

  async #authenticate(headers: IncomingHttpHeaders): Promise<Introduction | undefined> {
    this.#authenticating = true
    try {
      const session = await this.#endpoint.authenticator.authenticate({ headers })
      this.#expireWith(session)
      this.#send(this.#protocol.acknowledgement)
      this.#send(this.#protocol.keepAlive)
      return { session, headers }
    } catch (error) {
      if (!(error instanceof HasuraError)) this.#logger.error({ err: error }, 'authentication failed')
      const reason = error instanceof HasuraError ? error.message : 'internal error'
      this.#refuse({ kind: 'refused', reason })
      return undefined
    } finally {
      this.#authenticating = false
    }
  }

  /**
   * Closes a connection of graphql-transport-ws without `connection_init`. The older protocol has no such time limit.
   */
  #awaitIntroduction(): void {
    this.#deadline = setTimeout(() => {
      if (this.#introduction === undefined) this.#refuse({ kind: 'init-timeout' })
    }, this.#limits.initTimeoutMs)
  }

  /** Closes the connection when the session expires. The client then authenticates on a new connection. */
  #expireWith({ expiresAt }: Session): void {
    clearTimeout(this.#expiry)
    if (expiresAt === undefined || this.#socket.readyState !== this.#socket.OPEN) return
    const delay = Math.min(Math.max(0, expiresAt - Date.now()), longestTimerMs)
    this.#expiry = setTimeout(() => this.#socket.close(1000, 'the session has expired'), delay)
  }

  /**
   * Closes the connection if its session is over. For a connection that is being authenticated, the check follows the
   * authentication. Sessions of the admin secret are not checked. A check that fails counts as over.
   */
  async endIf(isOver: SessionCheck): Promise<void> {
    const introduction = this.#introduction
    const introduced = await introduction
    if (introduced === undefined || this.#socket.readyState !== this.#socket.OPEN) return
    const over = await this.#isOver(introduced, isOver)
    if (over && this.#introduction === introduction) this.#socket.close(1000, 'the session has ended')
  }

  async #isOver({ session, headers }: Introduction, isOver: SessionCheck): Promise<boolean> {
    try {
      return !bearsAdminSecret(headers) && (await isOver(session, headers))
    } catch (error) {
      this.#logger.error(
        { err: error },
        'the check whether a session is over failed, so the session is ended',
      )
      return true
    }
  }

  #start(id: string, payload: unknown): void {
    if (this.#introduction === undefined) {
      this.#refuse({ kind: 'not-initialised', id })
      return
    }
    if (this.#operations.has(id)) {
      this.#refuse({ kind: 'duplicate-id', id })
      return
    }
    const limit = this.#limits.maxOperations
    if (this.#operations.size >= limit) {
      this.#refuse({ kind: 'too-many-operations', id, limit })
      return
    }
    const operation = new AbortController()
    this.#operations.set(id, operation)
    void this.#run(id, payload, operation, this.#introduction)
  }

  async #run(
    id: string,
    payload: unknown,
    operation: Operation,
    introduction: Promise<Introduction | undefined>,
  ): Promise<void> {
    try {
      const introduced = await introduction
      if (operation.signal.aborted) return
      if (introduced === undefined) {
        this.#refuse({ kind: 'not-initialised', id })
        return
      }
      const request = parseRequest(payload, this.#endpoint.api)
      if (this.#endpoint.executor.isSubscription(request, introduced.session)) {
        this.#subscribe(id, request, introduced.session, operation)
        return
      }
      const result = await this.#execute(request, introduced, operation)
      this.#finish(id, operation, this.#protocol.onlyResult(id, result))
    } catch (error) {
      if (operation.signal.aborted) return
      this.#finish(id, operation, this.#protocol.failure(id, [this.#errorOf(error)]))
    }
  }

  #execute(
    request: GraphQLRequest,
    { session, headers }: Introduction,
    operation: Operation,
  ): Promise<GraphQLResult> {
    const deadline = AbortSignal.timeout(this.#limits.requestTimeoutMs)
    const signal = AbortSignal.any([operation.signal, deadline])
    return this.#endpoint.executor.execute(request, session, { signal, clientHeaders: headers })
  }

  #subscribe(id: string, request: GraphQLRequest, session: Session, operation: Operation): void {
    const leave = this.#endpoint.hub.subscribe(request, session, {
      receive: (result) => this.#send(this.#protocol.nextResult(id, result)),
      isReady: () => true,
      end: () => this.#finish(id, operation, [this.#protocol.complete(id)]),
    })
    operation.signal.addEventListener('abort', leave, { once: true })
  }

  #errorOf(error: unknown) {
    const failure = failureOf(error)
    if (failure !== undefined) return failure
    if (error instanceof HasuraError)
      return { message: error.message, extensions: { path: error.path, code: error.code } }
    this.#logger.error({ err: error }, 'an operation over a WebSocket failed')
    return { message: 'internal error', extensions: { path: '$', code: 'unexpected' } }
  }

  /** Sends an operation's last messages, unless the client has stopped it. */
  #finish(id: string, operation: Operation, messages: readonly string[]): void {
    if (this.#operations.get(id) !== operation) return
    this.#operations.delete(id)
    for (const message of messages) this.#send(message)
  }

  #send(message: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.bufferedAmount > this.#limits.maxBufferedBytes) {
      // A close frame would wait behind all the unread messages.
      this.#logger.warn('a WebSocket client that does not read was dropped')
      this.#socket.terminate()
      return
    }
    const timer = setTimeout(() => this.#socket.terminate(), this.#limits.sendMilliseconds)
    this.#socket.send(message, () => clearTimeout(timer))
  }

  #refuse(violation: Violation): void {
    const { messages, close } = this.#protocol.violation(violation)
    for (const message of messages) this.#send(message)
    if (close !== undefined) this.#socket.close(close.code, close.reason)
  }

  /** The protocol's own message keeps proxies from closing the connection; WebSocket's ping detects lost clients. */
  #keepAlive(): void {
    if (this.#unansweredPings >= maxUnansweredPings) {
      this.#socket.terminate()
      return
    }
    this.#unansweredPings += 1
    this.#socket.ping()
    this.#send(this.#protocol.keepAlive)
  }

  #end(): void {
    clearInterval(this.#keepingAlive)
    clearTimeout(this.#deadline)
    clearTimeout(this.#expiry)
    for (const operation of this.#operations.values()) operation.abort(new Error('the client has gone'))
    this.#operations.clear()
  }
}

interface Introduction {
  readonly session: Session
  readonly headers: IncomingHttpHeaders
}
