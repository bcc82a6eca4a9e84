import type { GraphQLResult } from '../graphql-request.ts'

/** The receiver of a subscription's answers. Its functions must not throw. */
export interface Subscriber {
  readonly receive: (result: GraphQLResult) => void
  /** While it returns false, a live query's newest answer waits and a stream pauses. */
  readonly isReady: () => boolean
  /** Called when the engine ends the subscription, because it is not valid with the new metadata. */
  readonly end: () => void
}

/** One subscription of a member. */
export interface Subscription {
  readonly subscriber: Subscriber
  /** The hash of the last answer sent. */
  sent: string | undefined
}
