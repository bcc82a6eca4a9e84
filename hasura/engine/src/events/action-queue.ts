import type { Pool } from 'pg'
import type { Delivery, DeliveryQueue } from './deliverer.ts'
import type { HeldRows } from './held-rows.ts'
import { parseUnrounded } from '../exact-json.ts'
import { isRefusedValue } from '../execute/postgres-error.ts'
import { failureOf } from '../execute/request-failure.ts'
import type { GraphQLError } from '../graphql-request.ts'
import { isAsynchronous } from '../metadata/action.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { Snapshot } from '../snapshot.ts'
import { isStackOverflow } from '../stack-overflow.ts'
import { startTrace } from '../tracing/trace-context.ts'
import type { Environment } from '../webhook/environment.ts'
import {
  type TakenInvocation,
  abandonedInvocations,
  completeInvocation,
  failInvocation,
  hasOpenInvocations,
  releaseAbandonedInvocations,
  releaseInvocations,
  takeInvocations,
} from '../actions/action-log.ts'
import { callHandler } from '../actions/call-handler.ts'

type Result =
  | { readonly kind: 'completed'; readonly output: JsonValue }
  | { readonly kind: 'failed'; readonly failure: GraphQLError }

/** The result in place of one that jsonb can't hold, such as a text with U+0000 or half of a surrogate pair. */
const unstorable: GraphQLError = {
  message:
    'the answer of the handler can not be stored: it has characters or a depth that jsonb does not allow',
  extensions: { path: '$', code: 'unexpected' },
}

function recordResult(pool: Pool, id: string, result: Result): Promise<void> {
  switch (result.kind) {
    case 'completed':
      return completeInvocation(pool, id, result.output)
    case 'failed':
      return failInvocation(pool, id, result.failure)
    default:
      return result satisfies never
  }
}

/**
 * The queue of asynchronous actions. As in Hasura, each is called once, and a failure is its result. It is called again
 * only when the engine ends during the call.
 */
export function createActionQueue(
  pool: Pool,
  heldRows: HeldRows,
  getSnapshot: () => Snapshot,
  environment: Environment,
): DeliveryQueue {
  const resultOf = async (invocation: TakenInvocation, signal: AbortSignal): Promise<Result> => {
    const { metadata } = getSnapshot()
    const action = metadata.actions?.find(({ name }) => name === invocation.action_name)
    if (action === undefined) {
      const message = `action "${invocation.action_name}" does not exist`
      return { kind: 'failed', failure: { message, extensions: { path: '$', code: 'not-exists' } } }
    }
    const payload = {
      action: { name: action.name },
      input: parseUnrounded(invocation.input_payload) as JsonValue,
      session_variables: invocation.session_variables,
      request_query: null,
    }
    try {
      const call = { environment, clientHeaders: invocation.request_headers, trace: startTrace(), signal }
      const { body } = await callHandler(action, metadata.custom_types ?? {}, payload, call)
      return { kind: 'completed', output: body }
    } catch (error) {
      const failure = failureOf(error)
      // The engine's stop cut the call off. It has no result, and is made again.
      if (failure === undefined || signal.aborted) throw error
      return { kind: 'failed', failure }
    }
  }

  const attempt = async (invocation: TakenInvocation, signal: AbortSignal): Promise<void> => {
    const result = await resultOf(invocation, signal)
    try {
      await recordResult(pool, invocation.id, result)
    } catch (error) {
      // Left without a result, the invocation would be taken again, and its handler called again, for ever.
      if (!isRefusedValue(error) && !isStackOverflow(error)) throw error
      await failInvocation(pool, invocation.id, unstorable)
    }
  }

  const hasAsynchronous = (): boolean => getSnapshot().metadata.actions?.some(isAsynchronous) === true
  // Invocations stay when the last asynchronous action is dropped, or becomes synchronous.
  let mayHaveOpen = true

  return {
    name: 'action',
    isUsed: () => {
      mayHaveOpen ||= hasAsynchronous()
      return mayHaveOpen
    },
    take: async (limit) => {
      const taken = await takeInvocations(heldRows, limit)
      if (taken.length === 0 && !hasAsynchronous()) mayHaveOpen = await hasOpenInvocations(pool)
      return taken.map((invocation): Delivery => ({
        id: invocation.id,
        attempt: (signal) => attempt(invocation, signal),
      }))
    },
    release: (ids) => releaseInvocations(pool, ids),
    findAbandoned: () => abandonedInvocations(heldRows),
    releaseAbandoned: (ids) => releaseAbandonedInvocations(heldRows, ids),
  }
}
