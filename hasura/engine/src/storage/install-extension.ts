import { type Pool, escapeIdentifier } from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from '../start-error.ts'

const extension = 'pgcrypto'

/**
 * Creates the extension that Hasura creates in every source, and whose functions old migrations call as `public.…`. Nothing of the
 * engine needs it, so that it is only warned where it can't be had.
 */
export async function installExtension(pool: Pool, schema: string, logger: Logger): Promise<void> {
  if (await isInstalled(pool)) return
  try {
    await pool.query(`create extension if not exists ${extension} schema ${escapeIdentifier(schema)}`)
  } catch (error) {
    // Another engine may have been quicker.
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
