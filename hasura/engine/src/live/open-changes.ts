import {
  type ChangeFeed,
  Coherence,
  openChangeFeed,
  openPositionClient,
  type PositionAddress,
  type PublicationOptions,
  publishTables,
} from '@commerce-graph/change-feed'
import type pg from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from '../start-error.ts'
import { ChangeFollower } from './change-follower.ts'
import type { Partition } from './partition.ts'

export interface ChangeFeedSettings {
  /** Leads to Postgres itself, as a user with the attribute REPLICATION. */
  readonly databaseUrl: string
  readonly publication: string
  /** Whether the engine keeps the publication's tables up to date, as their owner. Otherwise something else does. */
  readonly publishes: boolean
  /** Where Postgres is asked how far its log goes, each time a kept answer is served; absent: at `databaseUrl`. */
  readonly positions?: PositionAddress | undefined
  readonly partition?: Partition | undefined
}

/** The changes of the database, as subscriptions and kept answers use them. */
export interface Changes {
  readonly feed: ChangeFeed
  readonly follower: ChangeFollower
  readonly coherence: Coherence
  readonly partition: Partition | undefined
  /** To be called with new metadata: tables may have been added. */
  readonly publish: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Of the engine's own Postgres. */
export const ownPublication = 'hasura_changes'

/** The publication that the engine keeps up to date; undefined: it keeps none. */
export const keptPublication = ({
  publication,
  publishes,
  partition,
}: ChangeFeedSettings): PublicationOptions | undefined =>
  publishes ? { publication, partitionColumn: partition?.column } : undefined

/** Begins to follow. What stands in the way is logged, and is no failure: subscriptions then poll. */
export async function openChanges(
  settings: ChangeFeedSettings,
  pool: pg.Pool,
  logger: Logger,
): Promise<Changes> {
  const { databaseUrl, publication, partition } = settings
  const partitionColumn = partition?.column
  const kept = keptPublication(settings)
  const publish = async (): Promise<void> => {
    if (kept === undefined) return
    try {
      await publishTables(async (text) => (await pool.query<Record<string, unknown>>(text)).rows, kept)
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, 'changes of the tables are not published')
    }
  }
  await publish()
  const feed = openChangeFeed({ databaseUrl, publication, partitionColumn, logger })
  const follower = new ChangeFollower({ feed, pool, partition, logger })
  const positions = openPositionClient(settings.positions ?? { databaseUrl, namedStatements: true })
  const coherence = new Coherence({ feed, positions, logger })
  return {
    feed,
    follower,
    coherence,
    partition,
    publish,
    close: async () => {
      follower.close()
      coherence.close()
      await feed.close()
      await positions.close()
    },
  }
}
