import type { CommerceApi } from '../api/commerce-api.ts'
import type { Outcome } from '../api/attempts.ts'
import { runFields, userErrorsOf, type Field } from '../api/fields.ts'
import type { Problem } from '../input/row.ts'

/** What a row may do with a record that is there already. */
export type OnExisting = 'skip' | 'update'

/** What the import remembers of a row whose record it was about to create. */
export interface Starts<T> {
  /** True when an earlier attempt began to create it: what is there is this import's own, and may be half done. */
  readonly wasStarted: (row: T) => boolean
  /** Resolves when it is written down. */
  readonly start: (rows: readonly T[]) => Promise<void>
}

/** A row on its way through one attempt. */
export class Task<T> {
  readonly row: T
  readonly problems: Problem[] = []
  #again: Problem | undefined
  #kind: 'created' | 'updated' | 'skipped' = 'created'

  constructor(row: T) {
    this.row = row
  }

  /** Whether there is anything more to do in this attempt. */
  get live(): boolean {
    return this.problems.length === 0 && this.#again === undefined && this.#kind !== 'skipped'
  }

  get outcome(): Outcome {
    if (this.problems.length > 0) return { kind: 'refused', problems: this.problems }
    return this.#again === undefined ? { kind: this.#kind } : { kind: 'again', problem: this.#again }
  }

  becomes(kind: 'created' | 'updated' | 'skipped'): void {
    this.#kind = kind
  }

  refuse(problem: Problem): void {
    this.problems.push(problem)
  }

  tryAgain(problem: Problem): void {
    this.#again = problem
  }
}

/** A field to run for a task. */
export interface Call<T> {
  readonly task: Task<T>
  readonly field: Field
  /** Where in the row the input comes from, e.g. `reviews.2`; empty for the row itself. */
  readonly at: string
  /** What to do with the answer of a query, or of a mutation that succeeded. */
  readonly then?: (value: unknown) => void
}

export async function runQueries<T>(api: CommerceApi, calls: readonly Call<T>[]): Promise<void> {
  await run(api, 'query', calls, (call, value) => call.then?.(value))
}

/** Runs mutations; their `UserError`s become problems of the rows. */
export async function runMutations<T>(api: CommerceApi, calls: readonly Call<T>[]): Promise<void> {
  await run(api, 'mutation', calls, (call, value) => {
    const errors = userErrorsOf(value)
    for (const { field, message, code } of errors) {
      call.task.refuse({
        field: fieldOf(call.at, field ?? undefined),
        message,
        code: code ?? 'INVALID_VALUE',
      })
    }
    if (errors.length === 0) call.then?.(value)
  })
}

async function run<T>(
  api: CommerceApi,
  operation: 'query' | 'mutation',
  calls: readonly Call<T>[],
  onData: (call: Call<T>, value: unknown) => void,
): Promise<void> {
  const results = await runFields(
    api,
    operation,
    calls.map(({ field }) => field),
  )
  for (const [index, call] of calls.entries()) {
    const result = results[index]
    if (result === undefined) continue
    if (result.kind === 'data') {
      onData(call, result.value)
      continue
    }
    const { message, code, field, requestId } = result.error
    const quoted = requestId === undefined ? message : `${message} (request ${requestId})`
    const problem = { field: fieldOf(call.at, field), message: quoted, code }
    if (result.retryable) call.task.tryAgain(problem)
    else call.task.refuse(problem)
  }
}

// The API names a field of the mutation's arguments; a report names the field of the row.
function fieldOf(at: string, field: string | undefined): string | undefined {
  const own = field?.replace(/^\$?input\d*\.?/, '') ?? ''
  return [at, own].filter((part) => part !== '').join('.') || undefined
}
