import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type HasuraApi, HasuraApiError } from './hasura-api.ts'
import { splitStatements } from './sql-statements.ts'

export type SqlFileOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: SqlFailure }

/** Why a file failed. It had no effect, because a file is one transaction. */
export interface SqlFailure {
  readonly file: string
  readonly line: number | undefined
  readonly message: string
  readonly sqlState: string | undefined
}

/** Postgres's error, as Hasura shows it to admin. */
const postgresError = z.object({
  error: z.object({
    message: z.string(),
    status_code: z.string().optional(),
    description: z.string().nullish(),
    hint: z.string().nullish(),
  }),
})

export interface SqlFile {
  /** Its path, for the error. */
  readonly file: string
  readonly sql: string
  /** The SQL with more around it, if it doesn't run as it is. */
  readonly sent?: string
}

/** Runs a file in one transaction. Throws HasuraApiError only when the engine doesn't answer. */
export async function runSqlFile(
  api: HasuraApi,
  source: string,
  { file, sql, sent = sql }: SqlFile,
): Promise<SqlFileOutcome> {
  try {
    await api.runSql(source, sent)
    return { kind: 'done' }
  } catch (error) {
    if (!isSqlError(error)) throw error
    const line = await findFailingLine(api, source, sql)
    return { kind: 'failed', failure: describe(error, file, line) }
  }
}

/**
 * Runs the file and rolls it back, to find whether it would succeed. Unknown for a file that can't be rolled back,
 * because it ends its own transaction.
 */
export async function wouldRun(
  api: HasuraApi,
  source: string,
  sql: string,
): Promise<SqlFileOutcome | { readonly kind: 'unknown' }> {
  if (endsTransaction(sql)) return { kind: 'unknown' }
  const error = await tryOut(api, source, sql)
  return error === undefined ? { kind: 'done' } : { kind: 'failed', failure: describe(error, '', undefined) }
}

/** Whether the engine refused the SQL, as opposed to the caller, or to no answer. */
export const isSqlError = (error: unknown): error is HasuraApiError =>
  error instanceof HasuraApiError && error.code !== 'unavailable' && error.code !== 'access-denied'

function describe(error: HasuraApiError, file: string, line: number | undefined): SqlFailure {
  const parsed = postgresError.safeParse(error.internal)
  if (!parsed.success) return { file, line, message: error.message, sqlState: undefined }
  const { message, description, hint, status_code: sqlState } = parsed.data.error
  const parts = [message, description, hint === null || hint === undefined ? hint : `Hint: ${hint}`]
  return { file, line, message: parts.filter((part) => part != null && part !== '').join('\n'), sqlState }
}

const transactionCommand =
  /^(?:begin|commit|rollback|abort|end|start\s+transaction|prepare\s+transaction|savepoint|release)\b/i

/** Whether the file has commands for transactions, so that it may be no single transaction and can't be rolled back. */
export const endsTransaction = (sql: string): boolean =>
  splitStatements(sql).some((each) => transactionCommand.test(each.command))

/**
 * Hasura doesn't report where in a file Postgres failed. So this runs ever shorter beginnings of the file, with a
 * rollback: the statement after the longest working one has failed. Undefined for a file that can't be rolled back, and
 * for one that fails only at its commit, as by a deferred constraint.
 */
async function findFailingLine(api: HasuraApi, source: string, sql: string): Promise<number | undefined> {
  if (endsTransaction(sql)) return undefined
  if ((await tryOut(api, source, sql)) === undefined) return undefined
  const statements = splitStatements(sql)
  let works = 0
  let fails = statements.length
  while (fails - works > 1) {
    const middle = Math.floor((works + fails) / 2)
    const beginning = statements.slice(0, middle).map((each) => each.sql)
    const error = await tryOut(api, source, beginning.join('\n'))
    if (error === undefined) works = middle
    else fails = middle
  }
  return statements[fails - 1]?.line
}

/** Runs the SQL, then fails deliberately. Returns the error when it is another one. */
async function tryOut(api: HasuraApi, source: string, sql: string): Promise<HasuraApiError | undefined> {
  const marker = `tried out ${randomUUID()}`
  try {
    await api.runSql(source, `${sql}\n;do $try$ begin raise exception '${marker}'; end $try$;`)
  } catch (error) {
    if (!isSqlError(error)) throw error
    const parsed = postgresError.safeParse(error.internal)
    return parsed.success && parsed.data.error.message === marker ? undefined : error
  }
  throw new Error('A statement that fails on purpose did not fail')
}
