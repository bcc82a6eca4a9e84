import type { GraphQLResult } from '../graphql-request.ts'

/** Who is told of a subscription's answers. None of these may throw. */
export interface Subscriber {
  readonly receive: (result: GraphQLResult) => void
  /** While false, a live query's newest answer waits and a stream stands still. */
  readonly isReady: () => boolean
  /** The subscription has ended from this side: metadata changed, and it has no answer any more. */
  readonly end: () => void
}

/** One subscriber's place in a poll. */
export interface Subscription {
  readonly subscriber: Subscriber
  /** Hash of the last answer that was sent. */
  sent: string | undefined
}
