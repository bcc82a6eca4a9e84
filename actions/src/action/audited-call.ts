import { type Actor, type Attempt, type AuditTrail, type Outcome, targetIdsOf } from '@commerce-graph/audit'
import { type MerchantId, noMerchant } from '@commerce-graph/contract/ids'
import { z } from 'zod'
import { type Action, type ActionCall, accessRefusal, type CallOrigin } from './action.ts'
import type { Answer } from './answer.ts'
import type { AnySession } from './session.ts'

/** A call of which the audit log tells. */
export interface AuditedCall extends ActionCall<AnySession> {
  readonly origin: CallOrigin
}

/**
 * Runs an action so that nothing is ever done unseen: the audit log knows of it before anything is done, or has its entry from
 * the transaction that does it. Throws what the action throws, and when the log can't be written: then nothing was done.
 */
export async function runAudited(action: Action, call: AuditedCall, trail: AuditTrail): Promise<Answer> {
  const refusal = accessRefusal(action, call)
  if (refusal !== null) {
    const actor = actorOf(call)
    const { clientAddress, requestId, source } = call.origin
    trail.refused({ actor, code: refusal.id, operation: call.action, clientAddress, requestId, source })
    return refusal
  }
  return action.keeping === 'in one statement'
    ? runRecording(action, call, trail)
    : runBegun(action, call, trail)
}

/** What the audit log tells of a call, besides its outcome. */
export const attemptOf = (call: AuditedCall): Attempt => ({
  ...actorOf(call),
  ...call.origin,
  operation: call.action,
})

async function runBegun(action: Action, call: AuditedCall, trail: AuditTrail): Promise<Answer> {
  const attempt = attemptOf(call)
  const named = targetIdsOf(call.input)
  const id = await trail.begin(attempt, named)
  try {
    const answer = await action.run(call)
    trail.ended(attempt, id, outcomeOf(answer, call.input))
    return answer
  } catch (error) {
    trail.ended(attempt, id, failed(named))
    throw error
  }
}

/** What the action changes has its entry with it. */
async function runRecording(action: Action, call: AuditedCall, trail: AuditTrail): Promise<Answer> {
  const attempt = attemptOf(call)
  try {
    const answer = await action.run(call)
    const isRecorded = answer.kind === 'done' && call.idempotencyKey?.replayed !== true
    if (!isRecorded) trail.record(attempt, outcomeOf(answer, call.input))
    return answer
  } catch (error) {
    trail.record(attempt, failed(targetIdsOf(call.input)))
    throw error
  }
}

const failed = (targetIds: readonly string[]): Outcome => ({
  outcome: 'FAILED',
  codes: ['SVC_SRV_001'],
  targetIds,
})

function outcomeOf(answer: Answer, input: unknown): Outcome {
  switch (answer.kind) {
    case 'done':
      return { outcome: 'DONE', codes: [], targetIds: targetIdsOf(input, answer.data) }
    case 'invalid':
      return {
        outcome: 'INVALID',
        codes: answer.errors.map(({ code }) => code),
        targetIds: targetIdsOf(input),
      }
    case 'refused':
      return { outcome: 'REFUSED', codes: [answer.id], targetIds: targetIdsOf(input) }
    default:
      return answer satisfies never
  }
}

// Both sides brand the same ids.
function actorOf({ session, input }: ActionCall<AnySession>): Actor {
  if (session.role === 'operator') {
    const named = z.object({ merchantId: z.guid() }).safeParse(input)
    const merchantId = (named.success ? named.data.merchantId : noMerchant) as MerchantId
    return { merchantId, kind: 'OPERATOR', id: session.operatorKeyId }
  }
  const merchantId = session.merchantId
  if (session.role === 'customer') return { merchantId, kind: 'CUSTOMER', id: session.customerId }
  return session.role === 'guest' || session.userId === undefined
    ? { merchantId, kind: 'KEY', id: session.keyId ?? null }
    : { merchantId, kind: 'USER', id: session.userId }
}
