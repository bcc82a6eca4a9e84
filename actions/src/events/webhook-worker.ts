import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { Observer } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import type { Database } from '../database.ts'
import type { AddressRules } from './endpoint-address.ts'
import { defaultRetries, deliverWebhooks, keepDeliveries, type WebhookRetries } from './deliver-webhooks.ts'
import { openPayloads } from './payloads.ts'
import { renderPayloads } from './render-payloads.ts'
import { createWebhookSender } from './send-webhook.ts'
import { sequenceEvents } from './sequence.ts'
import { slots } from './slots.ts'

export interface WebhookOptions extends AddressRules {
  /** The contract, where payloads are read. */
  readonly graphqlUrl: string
  readonly retries?: WebhookRetries
  /** Milliseconds in which a receiver has to answer. */
  readonly timeout?: number
}

export interface WebhookWorkerOptions {
  readonly database: Database
  readonly secretBox: SecretBox
  readonly tokenIssuer: Pick<TokenIssuer, 'issueForEndpoint'>
  readonly webhooks: WebhookOptions
  readonly observer?: Observer | undefined
  readonly logger: Logger
}

/** Endpoints that payloads are rendered for at once. */
const renderingSlots = 16
/** Requests that are under way at once: more than the endpoints that hang at the same time. */
const deliverySlots = 500
/** Milliseconds that requests under way have to end when the worker stops. */
const stopGrace = 2_000
/** Milliseconds between a look for work and the next one. There is no NOTIFY: docs/decisions/0170-events-are-sequenced-after-the-commit.md. */
const pause = 100
/** The same for payloads and webhooks while this process finds nothing: they may be another process's, a retry or a test. */
const quietPause = 1_000
/** Milliseconds for which they are looked for often after this process has found something. */
const recently = 5_000

export interface WebhookWorker {
  /** Lets what is under way end. */
  stop(): Promise<void>
}

/** Sequences events, renders their payloads and sends them, each as soon as it can be, until it is stopped. */
export function startWebhookWorker({
  database,
  secretBox,
  tokenIssuer,
  webhooks,
  observer,
  logger,
}: WebhookWorkerOptions): WebhookWorker {
  const { retries = defaultRetries, timeout } = webhooks
  const sender = createWebhookSender({ ...webhooks, ...(timeout !== undefined && { timeout }) })
  const rendering = {
    database,
    payloads: openPayloads(webhooks.graphqlUrl, tokenIssuer),
    slots: slots(renderingSlots),
    logger,
  }
  const delivering = {
    database,
    secretBox,
    sender,
    retries,
    slots: slots(deliverySlots),
    underWay: new Map<string, number>(),
    observe: observer?.delivery,
    logger,
  }
  const activity = watchActivity()
  const loops = [
    {
      step: () => sequenceEvents(database, observer?.events),
      // A step takes all that there is. One that follows at once costs as much, and finds the changes of an order or two.
      afterWork: pauseOf(pause),
      afterNone: pauseOf(pause),
      failure: 'events could not be sequenced',
    },
    {
      step: () => renderPayloads(rendering),
      afterWork: pauseOf(1),
      afterNone: activity.pause,
      failure: 'no payloads could be rendered',
    },
    {
      step: () => deliverWebhooks(delivering),
      afterWork: pauseOf(1),
      afterNone: activity.pause,
      failure: 'no webhooks could be sent',
    },
  ].map((loop) => continuously(loop, activity, logger))
  const keeping = keepDeliveries(database, delivering.underWay)
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
      const idle = Promise.all([rendering.slots.idle(), delivering.slots.idle()])
      await Promise.race([idle, sleep(stopGrace)])
      // A receiver that hangs doesn't hold up a stop: its webhook is sent again.
      sender.close()
      await idle
      keeping.stop()
    },
  }
}

/** Rejects when the signal is aborted. */
type Pause = (signal: AbortSignal) => Promise<void>

const pauseOf =
  (milliseconds: number): Pause =>
  (signal) =>
    sleep(milliseconds, undefined, { signal })

/** What this process finds to do decides how long its next pauses are. */
interface Activity {
  /** To be called when something was found. Ends quiet pauses. */
  note(): void
  /** A short pause, or a quiet one if nothing was noted recently. */
  readonly pause: Pause
}

function watchActivity(): Activity {
  let last = Number.NEGATIVE_INFINITY
  let noted = new AbortController()
  return {
    note() {
      last = performance.now()
      noted.abort()
      noted = new AbortController()
    },
    pause: (signal) =>
      performance.now() - last < recently
        ? pauseOf(pause)(signal)
        : pauseOf(quietPause)(AbortSignal.any([signal, noted.signal])),
  }
}

interface Step {
  /** Resolves with how much it found to do. */
  readonly step: () => Promise<number>
  readonly afterWork: Pause
  readonly afterNone: Pause
  readonly failure: string
}

/** Does a step again and again. */
function continuously(
  { step, afterWork, afterNone, failure }: Step,
  activity: Activity,
  logger: Logger,
): WebhookWorker {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let rest = afterNone
      try {
        if ((await step()) > 0) {
          activity.note()
          rest = afterWork
        }
      } catch (error) {
        logger.warn({ error }, failure)
        rest = pauseOf(10 * pause)
      }
      await rest(signal).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
