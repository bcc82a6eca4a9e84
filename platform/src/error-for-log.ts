import { pino } from 'pino'

/**
 * The fields of Postgres's errors that contain values: `detail` holds a whole failing row, hashes and addresses
 * included. The table, the constraint and the statement's place are enough to find a fault.
 */
const tellsValues = ['detail', 'where', 'query', 'internalQuery', 'parameters', 'args'] as const

/** An error in the form for the log: message, stack, cause and codes, but no row's values. */
export function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const logged = pino.stdSerializers.err(error)
  for (const name of tellsValues) Reflect.deleteProperty(logged, name)
  return logged
}
