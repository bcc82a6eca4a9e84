export {
  type ChangeFeed,
  type ChangeFeedOptions,
  type FeedListener,
  type FeedState,
  openChangeFeed,
} from './change-feed.ts'
export type { ReadRows } from './change-history.ts'
export { Coherence, type Kept, type ReadTicket } from './coherence.ts'
export { CommitVisibility } from './commit-visibility.ts'
export type { ChangedRows, CommittedTransaction } from './committed-transaction.ts'
export { openPositionClient, type PositionAddress, type PositionClient } from './position-client.ts'
export { announceSchema, type PublicationOptions, publishTables, withdrawTables } from './publication.ts'
