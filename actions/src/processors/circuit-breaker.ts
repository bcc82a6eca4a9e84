import type { Observer } from '@commerce-graph/telemetry'
import { type Guard, guardedProcessor } from './guarded-processor.ts'
import type { PaymentProcessor } from './processor.ts'

export interface CircuitBreakerOptions {
  /** Calls without an answer, one after the other, after which no more are made. */
  readonly failures?: number
  /** Milliseconds until one call is let through again, to see whether it is answered. */
  readonly restMs?: number
  /** The time in milliseconds, from whenever. */
  readonly now?: () => number
  /** Told of calls that are not made, and until when. */
  readonly observer?: Pick<Observer, 'processorCall' | 'processorRests'> | undefined
}

/**
 * The same processor, which is left alone for a while when it doesn't answer: its calls are then `unknown` at once, instead of
 * after the seconds that each of them waits in vain.
 */
export function withCircuitBreaker(
  processor: PaymentProcessor,
  { failures = 5, restMs = 30_000, now = () => performance.now(), observer }: CircuitBreakerOptions = {},
): PaymentProcessor {
  let unanswered = 0
  let closedUntil = 0
  const rest = (): void => {
    closedUntil = now() + restMs
    observer?.processorRests(processor.name, restMs)
  }
  const guarded: Guard = async (call) => {
    if (unanswered >= failures) {
      if (now() < closedUntil) {
        observer?.processorCall(processor.name, 'left_alone')
        return { status: 'unknown', cause: new Error(`${processor.name} does not answer, and is left alone`) }
      }
      // The one that finds out; the others go on waiting.
      rest()
    }
    const answer = await call()
    if (answer?.status !== 'unknown') unanswered = 0
    else if ((unanswered += 1) === failures) rest()
    return answer
  }
  return guardedProcessor(processor, guarded)
}
