import { readdir, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { directUrlOf } from './database-parts.ts'
import { differencesFrom, type ProcessSecrets, type RunningProcess, settingsOf } from './process-settings.ts'
import type { Services } from './services.ts'

const root = join(import.meta.dirname, '../..')
/** Milliseconds between two signs of life. */
const renewEvery = 15_000
/** Seconds after which a process without one counts as gone. */
const goneAfter = 60
const mostListed = 1_000

export interface ListedProcess extends RunningProcess {
  readonly id: string
  readonly startedAt: Date
  readonly seenAt: Date
}

/** The processes that have given a sign of life, the oldest first. */
export const runningProcesses = async (sql: Sql): Promise<readonly ListedProcess[]> => sql<ListedProcess[]>`
  SELECT id, roles, host, pid, settings, started_at AS "startedAt", seen_at AS "seenAt"
  FROM platform.process
  WHERE seen_at > now() - make_interval(secs => ${goneAfter})
  ORDER BY started_at, id
  LIMIT ${mostListed}`

/**
 * Makes this process known to the others until it stops, and tells how it differs from them: during an upgrade versions do for a
 * while, secrets never should.
 */
export async function joinProcesses(
  { ownPart, started, logger }: Pick<Services, 'ownPart' | 'started' | 'logger'>,
  roles: readonly string[],
  secrets: ProcessSecrets,
  tell: (line: string) => void,
): Promise<void> {
  const sql = postgres(directUrlOf(ownPart), {
    max: 1,
    idle_timeout: 1,
    connect_timeout: 5,
    onnotice: () => undefined,
  })
  started.add('the connection of signs of life', () => sql.end({ timeout: 1 }))
  const settings = settingsOf(await versions(), secrets)
  for (const line of differencesFrom(settings, await runningProcesses(sql))) {
    tell(`Another process differs. ${line}`)
    logger.warn(`another process differs: ${line}`)
  }
  const own = { roles, host: hostname(), pid: process.pid, settings }
  const [row] = await sql<{ id: string }[]>`
    INSERT INTO platform.process (roles, host, pid, settings)
    VALUES (${roles as string[]}, ${own.host}, ${own.pid}, ${sql.json(settings)}) RETURNING id`
  const id = row?.id ?? ''
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renew(sql, id, own).catch((error: unknown) =>
      logger.warn({ error }, 'the process could not give a sign of life'),
    )
  }, renewEvery)
  started.add('signs of life', async () => {
    clearInterval(timer)
    await renewing
    await sql`DELETE FROM platform.process WHERE id = ${id}`.catch(() => undefined)
  })
}

/** Another process has removed the row if the database was away for a minute; then it comes back. */
async function renew(sql: Sql, id: string, { roles, host, pid, settings }: RunningProcess): Promise<void> {
  await sql`
    INSERT INTO platform.process (id, roles, host, pid, settings)
    VALUES (${id}, ${roles as string[]}, ${host}, ${pid}, ${sql.json(settings)})
    ON CONFLICT (id) DO UPDATE SET seen_at = now()`
  await sql`DELETE FROM platform.process WHERE seen_at <= now() - make_interval(secs => ${goneAfter})`
}

const packageFile = z.object({ version: z.string() })

async function versions(): Promise<{ readonly version: string; readonly migration: string }> {
  const { version } = packageFile.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
  const migrations = await readdir(join(root, 'migrations/default'))
  return { version, migration: migrations.sort().at(-1) ?? '' }
}
