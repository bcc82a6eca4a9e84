import type { GraphQLRequest, GraphQLResult } from '../graphql-request.ts'
import { failureOf } from '../execute/request-failure.ts'
import type { Session } from '../session/types.ts'
import type { SubscriptionHub } from './subscription-hub.ts'

/**
 * A subscription as an async iterator. It starts with the first `next`, and ends with `return`, with the signal, or
 * when the engine stops. At most one answer waits to be taken: for a live query a newer answer comes later, and a
 * stream pauses meanwhile.
 */
export async function* subscriptionResults(
  hub: SubscriptionHub,
  request: GraphQLRequest,
  session: Session,
  signal: AbortSignal | undefined,
): AsyncGenerator<GraphQLResult, void, undefined> {
  const mailbox = new Mailbox()
  let leave: () => void
  try {
    leave = hub.subscribe(request, session, mailbox)
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    yield { kind: 'errors', stage: 'request', errors: [failure] }
    return
  }
  signal?.addEventListener('abort', mailbox.end, { once: true })
  try {
    while (signal?.aborted !== true) {
      const result = await mailbox.take()
      if (result === undefined) return
      yield result
    }
  } finally {
    signal?.removeEventListener('abort', mailbox.end)
    leave()
  }
}

/** Holds one result between the producer and the consumer. */
class Mailbox {
  #result: GraphQLResult | undefined
  #ended = false
  #wake: (() => void) | undefined

  readonly isReady = (): boolean => this.#result === undefined

  readonly receive = (result: GraphQLResult): void => {
    this.#result = result
    this.#wake?.()
  }

  readonly end = (): void => {
    this.#ended = true
    this.#wake?.()
  }

  /** The next result; undefined after the last. */
  async take(): Promise<GraphQLResult | undefined> {
    if (this.#result === undefined && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const result = this.#result
    this.#result = undefined
    return result
  }
}
