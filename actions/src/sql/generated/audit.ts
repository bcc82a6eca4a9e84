// Written from sql/ by `npm run generate`. Don't edit.
import { answerOf, type Caller } from '../answer-of.ts'

export type PrepareMonthsAnswer = number

/** `audit.prepare_months` */
export const prepareMonths = (caller: Caller): Promise<PrepareMonthsAnswer> =>
  answerOf<PrepareMonthsAnswer>(caller, 'audit.prepare_months', (sql) => sql`audit.prepare_months()`)

export interface DropMonthsOlderThanArguments {
  readonly days: number
}

export type DropMonthsOlderThanAnswer = number

/** `audit.drop_months_older_than`: Drops whole months that ended so many days ago, for the worker, which may do no more: it can't drop a younger one.  */
export const dropMonthsOlderThan = (caller: Caller, args: DropMonthsOlderThanArguments): Promise<DropMonthsOlderThanAnswer> =>
  answerOf<DropMonthsOlderThanAnswer>(caller, 'audit.drop_months_older_than', (sql) => sql`audit.drop_months_older_than(
      p_days => ${args.days}::integer
    )`)
