/** Why the engine can't start, told so that the person who started it can act on it. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The reason of an error of the network or of Postgres, of which some say nothing by themselves. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
