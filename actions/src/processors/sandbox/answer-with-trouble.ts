import { setTimeout as sleep } from 'node:timers/promises'
import type { Response } from 'express'
import { refusedAsAsked, serverError, type StripeAnswer } from './stripe-error.ts'
import type { RequestTrouble } from './troubles.ts'

/** Milliseconds. */
const lateness = 2_000

export function send(response: Response, { status, body }: StripeAnswer): void {
  response.status(status).json(body)
}

/** The errors of a processor that fails, or refuses. */
interface Faults {
  readonly serverError: StripeAnswer
  readonly refusedAsAsked: StripeAnswer
}

/**
 * Answers a request, or not, as the trouble has it.
 * @param perform does what is asked for; of `error_after`, it answers with the error, which is kept for the idempotency key
 */
export async function answerWith(
  response: Response,
  trouble: RequestTrouble | null,
  perform: () => Promise<StripeAnswer>,
  faults: Faults = { serverError, refusedAsAsked },
): Promise<void> {
  switch (trouble) {
    case null:
    case 'error_after':
      send(response, await perform())
      return
    case 'error_before':
      send(response, faults.serverError)
      return
    case 'refuse':
      send(response, faults.refusedAsAsked)
      return
    case 'timeout_before':
      // The client hangs up, in the end.
      return
    case 'timeout_after':
      await perform()
      return
    case 'late': {
      const answer = await perform()
      await sleep(lateness)
      send(response, answer)
      return
    }
    default:
      trouble satisfies never
  }
}
