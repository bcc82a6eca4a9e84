// Written from sql/ by `npm run generate`. Don't edit.
import { answerOf, type Caller, type Seconds } from '../answer-of.ts'

export interface PurgeArguments {
  readonly olderThan: Seconds
  readonly limit: number
}

export type PurgeAnswer = number

/** `events.purge`: Deletes events and what belongs to them, the oldest first.  */
export const purge = (caller: Caller, args: PurgeArguments): Promise<PurgeAnswer> =>
  answerOf<PurgeAnswer>(caller, 'events.purge', (sql) => sql`events.purge(
      p_older_than => make_interval(secs => ${args.olderThan}),
      p_limit => ${args.limit}::integer
    )`)

export interface PurgeDeletionsArguments {
  readonly olderThan: Seconds
  readonly limit: number
}

export type PurgeDeletionsAnswer = number

/** `events.purge_deletions`: Deletes records of deletions that are older than this. Returns how many. */
export const purgeDeletions = (caller: Caller, args: PurgeDeletionsArguments): Promise<PurgeDeletionsAnswer> =>
  answerOf<PurgeDeletionsAnswer>(caller, 'events.purge_deletions', (sql) => sql`events.purge_deletions(
      p_older_than => make_interval(secs => ${args.olderThan}),
      p_limit => ${args.limit}::integer
    )`)

export interface SequenceArguments {
  readonly limit: number
}

export type SequenceAnswer = number

/** `events.sequence`: Turns committed changes into events, in the order in which each record was changed, and gives each its position. One caller at a time does it, and the lock is held until its commit; another returns at once. Changes of a merchant that is gone are dropped.  */
export const sequence = (caller: Caller, args: SequenceArguments): Promise<SequenceAnswer> =>
  answerOf<SequenceAnswer>(caller, 'events.sequence', (sql) => sql`events.sequence(
      p_limit => ${args.limit}::integer
    )`)
