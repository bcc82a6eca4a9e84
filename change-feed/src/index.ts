export {
  type ChangeFeed,
  type ChangeFeedOptions,
  type FeedListener,
  type FeedState,
  openChangeFeed,
} from './change-feed.ts'
export { CommitVisibility } from './commit-visibility.ts'
export type { ChangedRows, CommittedTransaction } from './committed-transaction.ts'
export { announceSchema, type PublicationOptions, publishTables } from './publication.ts'
