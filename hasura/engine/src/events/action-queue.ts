import type { Pool } from 'pg'
import type { Delivery, DeliveryQueue } from './deliverer.ts'
import type { HeldRows } from './held-rows.ts'
import { failureOf } from '../execute/request-failure.ts'
import { isAsynchronous } from '../metadata/action.ts'
import type { Snapshot } from '../snapshot.ts'
import { startTrace } from '../tracing/trace-context.ts'
import type { Environment } from '../webhook/environment.ts'
import {
  type TakenInvocation,
  abandonedInvocations,
  completeInvocation,
  failInvocation,
  releaseAbandonedInvocations,
  releaseInvocations,
  takeInvocations,
} from '../actions/action-log.ts'
import { callHandler } from '../actions/call-handler.ts'

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
  const attempt = async (invocation: TakenInvocation, signal: AbortSignal): Promise<void> => {
    const { metadata } = getSnapshot()
    const action = metadata.actions?.find(({ name }) => name === invocation.action_name)
    if (action === undefined) {
      const message = `action "${invocation.action_name}" does not exist`
      return failInvocation(pool, invocation.id, { message, extensions: { path: '$', code: 'not-exists' } })
    }
    const payload = {
      action: { name: action.name },
      input: invocation.input_payload,
      session_variables: invocation.session_variables,
      request_query: null,
    }
    try {
      const call = { environment, clientHeaders: invocation.request_headers, trace: startTrace(), signal }
      const { body } = await callHandler(action, metadata.custom_types ?? {}, payload, call)
      await completeInvocation(pool, invocation.id, body)
    } catch (error) {
      const failure = failureOf(error)
      // The engine's stop cut the call off. It has no result, and is made again.
      if (failure === undefined || signal.aborted) throw error
      await failInvocation(pool, invocation.id, failure)
    }
  }

  return {
    name: 'action',
    isUsed: () => getSnapshot().metadata.actions?.some(isAsynchronous) === true,
    take: async (limit) =>
      (await takeInvocations(heldRows, limit)).map((invocation): Delivery => ({
        id: invocation.id,
        attempt: (signal) => attempt(invocation, signal),
      })),
    release: (ids) => releaseInvocations(pool, ids),
    findAbandoned: () => abandonedInvocations(heldRows),
    releaseAbandoned: (ids) => releaseAbandonedInvocations(heldRows, ids),
  }
}
