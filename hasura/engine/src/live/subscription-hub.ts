import { setInterval } from 'node:timers'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { SubscriptionCompiler } from '../execute/graphql-executor.ts'
import type { CompiledStatement } from '../execute/compile.ts'
import type { PreparedSubscription } from '../execute/prepare-subscription.ts'
import { failureOf } from '../execute/request-failure.ts'
import { withConnection } from '../execute/lend-connection.ts'
import { runStatement } from '../execute/statement-query.ts'
import type { GraphQLError, GraphQLRequest } from '../graphql-request.ts'
import { RequestError } from '../plan/request-error.ts'
import { type SessionSettings, type Setting, settingsOfSession } from '../session/session-settings.ts'
import type { Session } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { type ActionFollower, followAction } from './follow-action.ts'
import type { Changes } from './open-changes.ts'
import { partitionOf } from './partition.ts'
import { type Membership, Poller, type PollerState, type Refetch } from './poller.ts'
import type { Subscriber, Subscription } from './subscriber.ts'
import { Turns } from './turns.ts'

export interface SubscriptionHubOptions {
  readonly live: Refetch
  readonly streaming: Refetch
  /** How many polls run at once; the pool's other connections are for requests. */
  readonly concurrentPolls: number
  /** Milliseconds until a poll's statement is cancelled. */
  readonly statementTimeoutMs: number
  /** What the database hears of a session: sessions that differ in it share no statement. */
  readonly sessionSettings: SessionSettings
  /** Tells what has changed; without it, everything is asked again each interval. */
  readonly changes?: Pick<Changes, 'follower' | 'partition' | 'publish'> | undefined
  readonly logger: Logger
}

export interface SubscriptionHub {
  /** Starts a subscription. Returns how to end it. Throws RequestError if it is not valid. */
  readonly subscribe: (request: GraphQLRequest, session: Session, subscriber: Subscriber) => () => void
  /** The present statements, and their numbers of subscribers. */
  readonly states: () => readonly PollerState[]
  /** Ends all polling. */
  readonly close: () => Promise<void>
}

/** Milliseconds between two looks for new metadata, where no poll looks. It costs the database nothing. */
const metadataIntervalMs = 1_000

/** The most subscriptions of one engine. */
const maxSubscriptions = 100_000

const internalError: GraphQLError = {
  message: 'internal error',
  extensions: { path: '$', code: 'unexpected' },
}

interface FollowedPoller {
  readonly poller: Poller
  readonly end: () => void
}

interface Entry {
  readonly request: GraphQLRequest
  readonly session: Session
  readonly subscription: Subscription
  prepared: PreparedSubscription
  membership: Membership
}

/** A stream goes on from where it is. */
const withCursor = (prepared: PreparedSubscription, cursor: string | null): PreparedSubscription => ({
  ...prepared,
  values: prepared.values.map((value, index) => (prepared.cursorPositions.includes(index) ? cursor : value)),
})

/** The values count, too: permissions that name different session variables, or different constants, are the same text. */
const asksTheSame = (one: PreparedSubscription, other: PreparedSubscription): boolean =>
  one.statement.name === other.statement.name &&
  isDeepStrictEqual([one.values, one.cursorPositions], [other.values, other.cursorPositions])

/**
 * Groups subscribers of the same statement and the same settings. Statements are compared by their text, which holds the role's
 * permissions; the values hold what else differs between sessions.
 */
export function createSubscriptionHub(
  compiler: SubscriptionCompiler,
  getSnapshot: () => Snapshot,
  pool: pg.Pool,
  options: SubscriptionHubOptions,
): SubscriptionHub {
  const { changes } = options
  const pollers = new Map<string, FollowedPoller>()
  const entries = new Set<Entry>()
  const followers = new Set<ActionFollower>()
  const turns = new Turns(options.concurrentPolls)
  const closing = new AbortController()
  let snapshot = getSnapshot()

  const ask = (
    statement: CompiledStatement,
    values: readonly (string | null)[],
    settings: readonly Setting[],
  ) => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(options.statementTimeoutMs)])
    return withConnection(pool, signal, (client) => runStatement(client, { statement, values }, settings))
  }

  const join = (prepared: PreparedSubscription, session: Session, subscription: Subscription): Membership => {
    const { statement } = prepared
    const settings = settingsOfSession(session, options.sessionSettings)
    const key = JSON.stringify([statement.name, ...settings])
    const known = pollers.get(key) ?? open(prepared, settings)
    pollers.set(key, known)
    const { poller, end } = known
    const { leave, cursor } = poller.join(prepared, subscription)
    return {
      cursor,
      leave: () => {
        leave()
        if (!poller.isIdle || pollers.get(key) !== known) return
        pollers.delete(key)
        end()
      },
    }
  }

  const open = (prepared: PreparedSubscription, settings: readonly Setting[]): FollowedPoller => {
    const { kind, statement, reads } = prepared
    const poller: Poller = new Poller(prepared, {
      ...(kind === 'live' ? options.live : options.streaming),
      logger: options.logger,
      refresh,
      isFollowed: () => following?.isFollowed() ?? false,
      settle: () => changes?.follower.settle() ?? Promise.resolve(true),
      run: (values) => turns.run(() => ask(statement, values, settings)),
    })
    const following = changes?.follower.follow(
      { wake: () => poller.wake() },
      reads,
      partitionOf(settings, changes.partition),
    )
    return { poller, end: () => following?.end() }
  }

  /** With new metadata every subscription is planned again, because permissions may have been withdrawn. */
  const refresh = (): void => {
    const current = getSnapshot()
    if (current === snapshot) return
    snapshot = current
    for (const entry of [...entries]) replan(entry)
    changes?.follower.lookAnew()
    void changes?.publish()
  }

  const replan = (entry: Entry): void => {
    const { request, session, subscription, membership } = entry
    try {
      const cursor = membership.cursor()
      const prepared = withCursor(compiler.prepareSubscription(request, session), cursor)
      if (asksTheSame(prepared, withCursor(entry.prepared, cursor))) return
      membership.leave()
      entry.prepared = prepared
      entry.membership = join(entry.prepared, session, subscription)
    } catch (error) {
      const failure = failureOf(error)
      // After any failure, the subscription must not continue under the old permissions.
      if (failure === undefined)
        options.logger.error({ err: error }, 'a subscription could not be planned again')
      membership.leave()
      entries.delete(entry)
      subscription.subscriber.receive({
        kind: 'errors',
        stage: 'request',
        errors: [failure ?? internalError],
      })
      subscription.subscriber.end()
    }
  }

  /** An action's result has a single subscriber, and is read from the log of actions. */
  const follow = (request: GraphQLRequest, session: Session, subscriber: Subscriber): (() => void) => {
    const read = (signal: AbortSignal) =>
      turns.run(() => compiler.readActionResult(request, session, { signal }))
    const follower = followAction(read, subscriber, options)
    followers.add(follower)
    return () => {
      followers.delete(follower)
      follower.leave()
    }
  }

  const looking = changes === undefined ? undefined : setInterval(() => refresh(), metadataIntervalMs)
  looking?.unref()
  return {
    subscribe: (request, session, subscriber) => {
      if (closing.signal.aborted) throw new RequestError('the server is stopping', '$', 'unexpected')
      if (entries.size + followers.size >= maxSubscriptions)
        throw new RequestError('the server has too many subscriptions', '$', 'unexpected')
      refresh()
      if (compiler.followsAction(request, session)) return follow(request, session, subscriber)
      const prepared = compiler.prepareSubscription(request, session)
      const subscription: Subscription = { subscriber, sent: undefined }
      const entry: Entry = {
        request,
        session,
        subscription,
        prepared,
        membership: join(prepared, session, subscription),
      }
      entries.add(entry)
      return () => {
        if (entries.delete(entry)) entry.membership.leave()
      }
    },
    states: () => [...pollers.values()].map(({ poller }) => poller.state),
    close: async () => {
      clearInterval(looking)
      for (const entry of entries) {
        entry.membership.leave()
        entry.subscription.subscriber.end()
      }
      entries.clear()
      for (const follower of followers) follower.end()
      followers.clear()
      closing.abort(new Error('the server is stopping'))
      await turns.idle()
    },
  }
}
