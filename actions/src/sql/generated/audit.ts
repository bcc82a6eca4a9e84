// Written from sql/ by `npm run generate`. Don't edit.
import { answerOf, type Caller } from '../answer-of.ts'

export type PrepareMonthsAnswer = number

/** `audit.prepare_months` */
export const prepareMonths = (caller: Caller): Promise<PrepareMonthsAnswer> =>
  answerOf<PrepareMonthsAnswer>(caller, 'audit.prepare_months', (sql) => sql`audit.prepare_months()`)
