import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type HasuraApi, HasuraApiError } from './hasura-api.ts'
import { splitStatements } from './sql-statements.ts'

export type SqlFileOutcome =
  { readonly kind: 'done' } | { readonly kind: 'failed'; readonly failure: SqlFailure }

/** Why a file could not be run. Nothing of it has happened: a file is one transaction. */
export interface SqlFailure {
  readonly file: string
  readonly line: number | undefined
  readonly message: string
  readonly sqlState: string | undefined
}

/** What Hasura says to an admin about an error of Postgres. */
const postgresError = z.object({
  error: z.object({
    message: z.string(),
    status_code: z.string().optional(),
    description: z.string().nullish(),
    hint: z.string().nullish(),
  }),
})

/** Runs a file in one transaction. Throws HasuraApiError only when the engine can't be asked. */
export async function runSqlFile(
  api: HasuraApi,
  source: string,
  file: string,
  sql: string,
): Promise<SqlFileOutcome> {
  try {
    await api.runSql(source, sql)
    return { kind: 'done' }
  } catch (error) {
    if (!isSqlError(error)) throw error
    const line = await findFailingLine(api, source, sql)
    return { kind: 'failed', failure: describe(error, file, line) }
  }
}

/** Whether the file would run now, tried and rolled back. */
export async function wouldRun(api: HasuraApi, source: string, sql: string): Promise<SqlFileOutcome> {
  const error = await tryOut(api, source, sql)
  return error === undefined ? { kind: 'done' } : { kind: 'failed', failure: describe(error, '', undefined) }
}

const isSqlError = (error: unknown): error is HasuraApiError =>
  error instanceof HasuraApiError && error.code !== 'unavailable' && error.code !== 'access-denied'

function describe(error: HasuraApiError, file: string, line: number | undefined): SqlFailure {
  const parsed = postgresError.safeParse(error.internal)
  if (!parsed.success) return { file, line, message: error.message, sqlState: undefined }
  const { message, description, hint, status_code: sqlState } = parsed.data.error
  const parts = [message, description, hint === null || hint === undefined ? hint : `Hint: ${hint}`]
  return { file, line, message: parts.filter((part) => part != null && part !== '').join('\n'), sqlState }
}

/**
 * Hasura doesn't say where in a file Postgres failed. So ever shorter beginnings of the file are tried, each rolled
 * back: the statement after the longest one that works is the culprit. A file that commits by itself can't be
 * tried, and stays without a line.
 */
async function findFailingLine(api: HasuraApi, source: string, sql: string): Promise<number | undefined> {
  const statements = splitStatements(sql)
  const commits = /^\s*(begin|commit|rollback|end|start\s+transaction|savepoint|release)\b/i
  if (statements.some((each) => commits.test(each.sql))) return undefined
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

/** Runs the SQL and fails on purpose after it. Returns the error when that was another one. */
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
