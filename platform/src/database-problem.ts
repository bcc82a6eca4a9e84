import { PlatformError } from './platform-error.ts'

/** Of Postgres: a schema, table, column or function that isn't there. */
const missing: ReadonlySet<string> = new Set(['3F000', '42P01', '42703', '42883'])
const notAllowed = '42501'
/**
 * Of Postgres' classes: a connection's failure, a refused login, no such database, too many connections, and the operator's intervention;
 * of the driver and of Node: no connection.
 */
const unreachable = /^(08|28|3D|53|57P|CONNECT|ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/

/**
 * An operator can mend it: another database or login, or a database that isn't migrated. Other errors are returned as they are.
 */
export function databaseProblem(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  if (missing.has(code))
    return new PlatformError(
      `the database is not what this version needs (${error.message}): run npm run migrate, or check the database’s name in DATABASE_URL`,
    )
  if (code === notAllowed)
    return new PlatformError(`the login of DATABASE_URL may not do this: ${error.message}`)
  return unreachable.test(code)
    ? new PlatformError(`the database can't be reached: ${reasonOf(error)}`)
    : error
}

/** Node has no message of its own for a host with several addresses, none of which answers. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError
    ? error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ')
    : error.message
