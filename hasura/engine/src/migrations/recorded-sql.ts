import { z } from 'zod'
import type { RunningMigration } from './catalog-state.ts'
import type { HasuraApi } from './hasura-api.ts'
import { isSqlError } from './run-sql-file.ts'

/** Any number that no other advisory lock uses. */
const fileLock = 7_267_481_006

/**
 * A file's SQL that also records its end, in the same transaction: a version is recorded if and only if its file took
 * effect, whenever the program or the engine is killed. It fails if the version is no longer marked as running: then a
 * later run has settled it, and this one would be the second. Only for a database that holds the state itself
 * (`holdsRunningMark`).
 *
 * The transaction holds a lock, by which a later program waits for it (`awaitRunningFile`).
 */
export const recordedSql = (
  database: string,
  { version, direction }: RunningMigration,
  sql: string,
): string =>
  `${takeLock} ${sql}
;reset session authorization; reset role;
do $record_version$ begin
  update hdb_catalog.hdb_version
     set cli_state = ${
       direction === 'up'
         ? `jsonb_set(cli_state, ${pathOf(database, version)}, 'false')`
         : `cli_state #- ${pathOf(database, version)}`
     }
   where cli_state #> ${pathOf(database, version)} = 'true';
  if not found then
    raise exception 'another run has settled migration ${version} meanwhile';
  end if;
end $record_version$;`

/** On the first line of what is sent, so that Postgres counts the file's lines as its author does. */
const takeLock = `select pg_advisory_xact_lock(${fileLock});`

/** Waits until no file runs: the engine may still run one of a program that was killed, or that has lost its connection. */
export async function awaitRunningFile(api: HasuraApi, database: string): Promise<void> {
  await api.runSql(database, takeLock)
}

/**
 * Whether the database itself holds the state in which the version is marked as running. If so, a file that records its
 * own end has not taken effect.
 */
export async function holdsRunningMark(api: HasuraApi, database: string, version: string): Promise<boolean> {
  const sql = `select cli_state #>> ${pathOf(database, version)} as running from hdb_catalog.hdb_version`
  try {
    const { result } = rows.parse(await api.runSql(database, sql))
    return result[1]?.[0] === 'true'
  } catch (error) {
    if (isSqlError(error)) return false
    throw error
  }
}

/** An answer of run_sql: a row of names, then the rows. */
const rows = z.object({ result: z.array(z.array(z.string().nullable())) })

const pathOf = (database: string, version: string): string =>
  `array['migrations', ${literal(database)}, ${literal(version)}]`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
