import type { FunctionPart } from '../projection/types.ts'
import { type Row, take } from '../shape/shape.ts'
import type { HasuraField } from './hasura-document.ts'
import type { PlanScope } from './plan-scope.ts'

export type SumOf = Extract<FunctionPart, { kind: 'value' }>['sumOf']

/** The rows of a list that a number beside it is a sum over: Postgres makes them once for both. */
export interface SummedRows {
  /** What the rows need for the sum, beside what the list selects. */
  readonly selection: readonly HasuraField[]
  /** Adds up the rows, and leaves them as the list selects them. */
  readonly settle: (answer: Row) => void
  readonly sumIn: (answer: Row) => unknown
  /** Takes the sum out of the answer. */
  readonly forget: (answer: Row) => void
}

/** @param alias where the rows are in Hasura's answer */
export function planSummedRows(scope: PlanScope, { column, where }: SumOf, alias: string): SummedRows {
  const [sum, summand, kind] = [scope.hiddenKey(), scope.hiddenKey(), scope.hiddenKey()]
  return {
    selection: [
      { alias: summand, name: column },
      { alias: kind, name: where.column },
    ],
    settle: (answer) => {
      let total = 0
      for (const row of answer[alias] as readonly Row[]) {
        const value = Number(take(row, summand))
        if (take(row, kind) === where.is) total += value
      }
      answer[sum] = total
    },
    sumIn: (answer) => answer[sum],
    forget: (answer) => take(answer, sum),
  }
}
