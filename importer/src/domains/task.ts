import type { CommerceApi } from '../api/commerce-api.ts'
import type { Outcome } from '../api/attempts.ts'
import type { Field } from '../api/batch.ts'
import { runFields } from '../api/fields.ts'
import { recordOf, type MutationPayload } from '../api/mutation-payload.ts'
import type { Problem } from '../input/row.ts'

/** The treatment of a record that exists already. */
export type OnExisting = 'skip' | 'update'

/** The stored state of rows whose records may have been created. */
export interface Starts<T> {
  /**
   * True if an earlier attempt began to create it: an existing record then belongs to this import, and may be
   * incomplete.
   */
  readonly wasStarted: (row: T) => boolean
  /** Resolves when it is stored. */
  readonly start: (rows: readonly T[]) => Promise<void>
}

/** The state of a row in one attempt. */
export class Task<T> {
  readonly row: T
  readonly problems: Problem[] = []
  #again: Problem | undefined
  #kind: 'created' | 'updated' | 'skipped' = 'created'

  constructor(row: T) {
    this.row = row
  }

  /** Whether this attempt continues with the row. */
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
interface Call<T, Value> {
  readonly task: Task<T>
  readonly field: Field<Value>
  /** The input's place in the row, e.g. `reviews.2`; empty for the row itself. */
  readonly at: string
}

interface QueryCall<T, Value> extends Call<T, Value> {
  readonly then: (value: Value) => void
}

interface MutationCall<T, Payload> extends Call<T, Payload | null> {
  /** Called with the payload of a successful mutation. */
  readonly then?: (payload: Payload) => void
}

export async function runQueries<T, Value>(
  api: CommerceApi,
  calls: readonly QueryCall<T, Value>[],
): Promise<void> {
  await run(api, calls, (call, value) => call.then(value))
}

/** Runs mutations; their `UserError`s become problems of the rows. */
export async function runMutations<T, Payload extends MutationPayload>(
  api: CommerceApi,
  calls: readonly MutationCall<T, Payload>[],
): Promise<void> {
  await run(api, calls, (call, answered: Payload | null) => {
    const payload = recordOf(answered)
    for (const { field, message, code } of payload.errors) {
      call.task.refuse({
        field: fieldOf(call.at, field ?? undefined),
        message,
        code: code ?? 'INVALID_VALUE',
      })
    }
    if (payload.errors.length === 0) call.then?.(payload)
  })
}

async function run<T, Value, Own extends Call<T, Value>>(
  api: CommerceApi,
  calls: readonly (Own & Call<T, Value>)[],
  onData: (call: Own, value: Value) => void,
): Promise<void> {
  const results = await runFields(
    api,
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

// The API names a field of the mutation's arguments, but a report names the field of the row.
function fieldOf(at: string, field: string | undefined): string | undefined {
  const own = field?.replace(/^\$?input\d*\.?/, '') ?? ''
  return [at, own].filter((part) => part !== '').join('.') || undefined
}
