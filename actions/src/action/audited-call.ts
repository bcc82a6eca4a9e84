import { type Actor, type Attempt, type AuditTrail, targetIdsOf } from '@commerce-graph/audit'
import { type MerchantId, noMerchant } from '@commerce-graph/contract/ids'
import { z } from 'zod'
import { type Action, type ActionCall, accessRefusal } from './action.ts'
import type { Answer } from './answer.ts'
import type { AnySession } from './session.ts'

export type CallOrigin = Pick<Attempt, 'clientAddress' | 'requestId' | 'operationName' | 'source'>

/**
 * Runs an action with the audit log knowing of it before anything is done, so that nothing is ever done unseen. Throws what the
 * action throws, and when the log can't be written: then nothing was run.
 */
export async function runAudited(
  action: Action,
  call: ActionCall<AnySession>,
  origin: CallOrigin,
  trail: AuditTrail,
): Promise<Answer> {
  const actor = actorOf(call)
  const refusal = accessRefusal(action, call)
  if (refusal !== null) {
    const { clientAddress, requestId, source } = origin
    trail.refused({ actor, code: refusal.id, operation: call.action, clientAddress, requestId, source })
    return refusal
  }
  const attempt: Attempt = { ...actor, ...origin, operation: call.action }
  const named = targetIdsOf(call.input)
  const id = await trail.begin(attempt, named)
  try {
    const answer = await action.run(call)
    trail.ended(attempt, id, outcomeOf(answer, call.input))
    return answer
  } catch (error) {
    trail.ended(attempt, id, { outcome: 'FAILED', codes: ['SVC_SRV_001'], targetIds: named })
    throw error
  }
}

function outcomeOf(answer: Answer, input: unknown): Parameters<AuditTrail['ended']>[2] {
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
