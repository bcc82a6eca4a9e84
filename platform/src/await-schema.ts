import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { metadataState } from './apply-changed-metadata.ts'
import { migrationState } from './applied-migrations.ts'
import { PlatformError } from './platform-error.ts'
import { root, source } from './prepare-schema.ts'
import type { SchemaState } from './schema-state.ts'

const pollMs = 500
/** As long as a migration of a large database may take. */
const timeoutMs = 10 * 60_000

/**
 * Waits until `npm run migrate` has brought the database to what this version needs. It changes nothing.
 *
 * @param tell receives a line when it begins to wait, and when the database is of a later version
 * @throws PlatformError if the signal ends the wait, the database stays behind for ten minutes, or was made by another version
 */
export async function awaitSchema(
  sql: Sql,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let waitedFor: string | undefined
  for (;;) {
    const state = await schemaState(sql)
    switch (state.kind) {
      case 'fits':
        return
      case 'newer':
        tell(`The database is of a later version: it has ${state.than}, which this version doesn't know`)
        return
      case 'lacks':
        if (Date.now() > deadline)
          throw new PlatformError(
            `The database has not got ${state.what} for ten minutes: run npm run migrate`,
          )
        if (state.what !== waitedFor) tell(`Waiting for npm run migrate: the database lacks ${state.what}`)
        waitedFor = state.what
        if (signal.aborted) throw new PlatformError('Stopped before npm run migrate had run.')
        break
      default:
        state satisfies never
    }
    await sleep(pollMs)
  }
}

async function schemaState(sql: Sql): Promise<SchemaState> {
  try {
    const migrations = await migrationState(sql, join(root, 'migrations', source))
    return migrations.kind === 'fits' ? await metadataState(sql, join(root, 'metadata')) : migrations
  } catch (error) {
    const lack = error instanceof postgres.PostgresError ? lackOf(error) : undefined
    if (lack === undefined) throw error
    return { kind: 'lacks', what: lack }
  }
}

/** What a part's login finds before the first migration, which makes the roles that it belongs to and gives them their rights. */
function lackOf({ code, message }: postgres.PostgresError): string | undefined {
  switch (code) {
    case '28000':
    case '28P01':
      return `this login (${message})`
    case '42501':
      return `rights of this login (${message})`
    default:
      return undefined
  }
}
