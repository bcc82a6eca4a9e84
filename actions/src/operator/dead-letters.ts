import type { Queryable } from '../database.ts'
import * as operator from '../sql/generated/operator.ts'

export type DeadLettersOutcome = operator.SettleDeadLettersAnswer

export type Settlement = 'retry' | 'drop'

/** Retries dead letters with all their attempts, or drops them for good. Does nothing if one of the ids is unknown. */
export const settleDeadLetters = (
  sql: Queryable,
  ids: readonly string[],
  settlement: Settlement,
): Promise<DeadLettersOutcome> => operator.settleDeadLetters(sql, { ids, retry: settlement === 'retry' })
