import { type Observer, tracer } from '@commerce-graph/telemetry'
import { type Guard, guardedProcessor } from './guarded-processor.ts'
import type { PaymentProcessor } from './processor.ts'

/** The same processor, whose calls are traced, and counted by whether they were answered. */
export function observedProcessor(
  processor: PaymentProcessor,
  observer: Pick<Observer, 'processorCall'> | undefined,
): PaymentProcessor {
  const counting: Guard = async (call) => {
    let answered = false
    try {
      const answer = await tracer.span(`processor ${processor.name}`, { kind: 'client' }, call)
      answered = answer?.status !== 'unknown'
      return answer
    } finally {
      observer?.processorCall(processor.name, answered ? 'answered' : 'unanswered')
    }
  }
  return guardedProcessor(processor, counting)
}
