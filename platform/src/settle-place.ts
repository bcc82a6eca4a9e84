import { defaultPlace } from '@commerce-graph/auth-webhook'
import type { Sql } from '@commerce-graph/postgres-driver'
import { PlatformError } from './platform-error.ts'

/**
 * The place that keys of this database name. The first start gives it, and it stays: keys that were handed out name it.
 *
 * @param configured undefined: the one that the database has, or `main`
 * @throws PlatformError if the database has another one
 */
export async function settlePlace(sql: Sql, configured: string | undefined): Promise<string> {
  await sql`
    INSERT INTO platform.own_place (name) VALUES (${configured ?? defaultPlace}) ON CONFLICT DO NOTHING`
  return settledPlace(sql, configured)
}

/** The place that a database has which is prepared. @throws PlatformError if another one is configured */
export async function settledPlace(sql: Sql, configured: string | undefined): Promise<string> {
  const [{ place }] = await sql<[{ place: string }]>`SELECT platform.place() AS place`
  if (configured !== undefined && configured !== place)
    throw new PlatformError(
      `COMMERCE_PLACE is ${configured}, but the keys of this database name the place ${place}: a database keeps its place`,
    )
  return place
}
