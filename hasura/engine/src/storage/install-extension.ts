import { type Pool, escapeIdentifier } from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from '../start-error.ts'

const extension = 'pgcrypto'

/**
 * Creates the extension that Hasura creates in every source, because old migrations call its functions as `public.…`.
 * The engine itself doesn't need it, so a failure only causes a warning.
 */
export async function installExtension(pool: Pool, schema: string, logger: Logger): Promise<void> {
  if (await isInstalled(pool)) return
  try {
    await pool.query(`create extension if not exists ${extension} schema ${escapeIdentifier(schema)}`)
  } catch (error) {
    // Another engine may have created it meanwhile.
    if (await isInstalled(pool)) return
    logger.warn(
      { reason: reasonOf(error) },
      `the extension ${extension} could not be created, as Hasura creates it`,
    )
  }
}

async function isInstalled(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query('select from pg_extension where extname = $1', [extension])
  return rows.length > 0
}
