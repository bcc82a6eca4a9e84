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
  const loops = [
    continuously({
      step: () => sequenceEvents(database, observer?.events),
      // A step takes all that there is. One that follows at once costs as much, and finds the changes of an order or two.
      pauseAfterWork: pause,
      failure: 'events could not be sequenced',
      logger,
    }),
    continuously({
      step: () => renderPayloads(rendering),
      pauseAfterWork: 1,
      failure: 'no payloads could be rendered',
      logger,
    }),
    continuously({
      step: () => deliverWebhooks(delivering),
      pauseAfterWork: 1,
      failure: 'no webhooks could be sent',
      logger,
    }),
  ]
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

interface Loop {
  /** Resolves with how much it found to do. */
  readonly step: () => Promise<number>
  /** Milliseconds until the next step, if this one found something. */
  readonly pauseAfterWork: number
  readonly failure: string
  readonly logger: Logger
}

/** Does a step again and again. */
function continuously({ step, pauseAfterWork, failure, logger }: Loop): WebhookWorker {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let rest = pause
      try {
        if ((await step()) > 0) rest = pauseAfterWork
      } catch (error) {
        logger.warn({ error }, failure)
        rest = 10 * pause
      }
      await sleep(rest, undefined, { signal }).catch(() => undefined)
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
