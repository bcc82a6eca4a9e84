import { DatabaseError } from 'pg'
import type { GraphQLError } from '../graphql-request.ts'
import { checkViolation } from '../sql/mutation-statement.ts'

/** Hasura's prefixes for violations of class 23; Postgres's message follows. */
const violations: Readonly<Record<string, { readonly code: string; readonly prefix: string }>> = {
  '23001': { code: 'constraint-violation', prefix: 'Can not delete or update due to data being referred. ' },
  '23502': { code: 'constraint-violation', prefix: 'Not-NULL violation. ' },
  '23503': { code: 'constraint-violation', prefix: 'Foreign key violation. ' },
  '23505': { code: 'constraint-violation', prefix: 'Uniqueness violation. ' },
  '23514': { code: 'permission-error', prefix: 'Check constraint violation. ' },
  '23P01': { code: 'constraint-violation', prefix: 'Exclusion violation. ' },
}

/** Hasura reports a LIKE pattern that ends in its escape character as a bad request, not as bad data. */
const invalidEscapeSequence = '22025'

/** Classes of errors about a value itself: data exceptions (such as U+0000 in jsonb), and limits of the server (nesting). */
const classesOfValues: ReadonlySet<string> = new Set(['22', '54'])

/** Whether Postgres refuses a value, and would refuse it again. */
export const isRefusedValue = (error: unknown): boolean =>
  error instanceof DatabaseError && classesOfValues.has(error.code?.slice(0, 2) ?? '')

/** The Hasura error for an error of Postgres; undefined for any other error. */
export function postgresError(error: unknown, path: string): GraphQLError | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  const { code: sqlState = '', message, detail, hint, constraint, table, schema, column } = error
  const database = { sqlState, message, detail, hint, constraint, table, schema, column }
  if (sqlState === '22P02' && message.includes(checkViolation))
    return { message: checkViolation, extensions: { path, code: 'permission-error' } }
  const violation = violations[sqlState]
  if (violation !== undefined)
    return { message: `${violation.prefix}${message}`, extensions: { path, code: violation.code }, database }
  if (sqlState.startsWith('23'))
    return { message, extensions: { path, code: 'constraint-violation' }, database }
  if (sqlState === invalidEscapeSequence)
    return { message, extensions: { path, code: 'bad-request' }, database }
  if (sqlState.startsWith('22')) return { message, extensions: { path, code: 'data-exception' }, database }
  return { message: 'database query error', extensions: { path, code: 'unexpected' }, database }
}
