import { type Action, defineOperatorAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import type { Database } from '../database.ts'
import { type DeadLettersOutcome, settleDeadLetters } from './dead-letters.ts'

/** What operators do to the platform's own machinery, by the name of the mutation. */
export const operatorActions = (database: Database): Readonly<Record<string, Action>> => ({
  retryDeadLetters: defineOperatorAction('retryDeadLetters', async (_call, { ids }) =>
    answer(await settleDeadLetters(database, ids, 'retry')),
  ),
  dropDeadLetters: defineOperatorAction('dropDeadLetters', async (_call, { ids }) =>
    answer(await settleDeadLetters(database, ids, 'drop')),
  ),
})

function answer(outcome: DeadLettersOutcome): Answer {
  switch (outcome.outcome) {
    case 'settled':
      return done({ count: outcome.count })
    case 'unknown':
      return invalid(notFound(`ids.${outcome.index}`, 'DeadLetter'))
    default:
      return outcome satisfies never
  }
}
