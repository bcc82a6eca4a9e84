/** The reason why the engine can't start, and what the operator can do about it. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The reason of a network or Postgres error. Some have an empty message, but a code or a cause. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
