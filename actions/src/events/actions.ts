import type { SecretBox } from '@commerce-graph/secret-box'
import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Database } from '../database.ts'
import * as events from '../sql/generated/events.ts'
import { faultsOfSubscription } from './check-subscription.ts'
import type { AddressRules } from './endpoint-address.ts'
import {
  addEndpoint,
  changeEndpoint,
  deleteEndpoint,
  findEndpoint,
  rotateSecret,
  type StoredEndpoint,
} from './endpoints.ts'
import type { Payloads } from './payloads.ts'

export interface EventActionsOptions {
  readonly database: Database
  readonly secretBox: SecretBox
  /** Null: endpoints with a query can't be written. */
  readonly payloads: Payloads | null
  readonly rules: AddressRules
}

/** Seconds for which the secret before a rotated one signs as well, unless said otherwise. */
const defaultOverlap = 24 * 60 * 60
/** Events of a span that are replayed at once. */
const maxReplayed = 10_000

const noEndpoint = (field: string): Answer => invalid(notFound(field, 'Webhook endpoint'))

/** The secret is shown in this answer only. */
const shown = (endpoint: StoredEndpoint, secret: string | null): Answer =>
  done({ webhookEndpoint: { ...endpoint, secret } })

/** The domain's actions, by the name of the mutation. */
export const eventActions = (options: EventActionsOptions): Readonly<Record<string, Action>> => ({
  createWebhookEndpoint: create(options),
  updateWebhookEndpoint: update(options),
  deleteWebhookEndpoint: defineAction('deleteWebhookEndpoint', {
    async handle({ session: { merchantId } }, { id }) {
      return (await deleteEndpoint(options.database, merchantId, id))
        ? done({ success: true })
        : noEndpoint('id')
    },
  }),
  rotateWebhookSecret: defineAction('rotateWebhookSecret', {
    answersSecret: true,
    async handle({ session: { merchantId } }, { id, overlapSeconds }) {
      const rotation = { merchantId, id, overlap: overlapSeconds ?? defaultOverlap }
      const rotated = await rotateSecret(options.database, options.secretBox, rotation)
      return rotated === null ? noEndpoint('id') : shown(rotated.endpoint, rotated.secret)
    },
  }),
  sendTestWebhook: sendTest(options.database),
  replayWebhookDeliveries: replay(options.database),
})

const create = ({ database, secretBox, ...checks }: EventActionsOptions): Action =>
  defineAction('createWebhookEndpoint', {
    answersSecret: true,
    async handle({ session }, { input }) {
      const { merchantId, permissions } = session
      const endpoint = { ...input, filter: input.filter ?? [] }
      const faults = await faultsOfSubscription({ database, ...checks }, endpoint, session)
      if (faults.length > 0) return invalid(...faults)
      const added = await addEndpoint(database, secretBox, merchantId, {
        ...endpoint,
        enabled: input.enabled ?? true,
        permissions: [...permissions],
      })
      return added === null
        ? invalid(invalidValue('url', 'There are 100 endpoints, which is the most'))
        : shown(added.endpoint, added.secret)
    },
  })

const update = ({ database, payloads, rules }: EventActionsOptions): Action =>
  defineAction('updateWebhookEndpoint', {
    absent: 'kept',
    async handle({ session }, { id, input }) {
      const { merchantId, permissions } = session
      const endpoint = await findEndpoint(database, merchantId, id)
      if (endpoint === null) return noEndpoint('id')
      const { enabled = null, filter, ...given } = input
      const changed = { ...endpoint, ...given, ...(filter !== undefined && { filter: filter ?? [] }) }
      const changesWhatIsSent = (['url', 'topics', 'filter', 'query'] as const).some(
        (name) => input[name] !== undefined,
      )
      // Whoever says where data goes must be able to see it. So must who switches an endpoint on again with it.
      if (changesWhatIsSent) {
        const faults = await faultsOfSubscription({ database, payloads, rules }, changed, session)
        if (faults.length > 0) return invalid(...faults)
      }
      const lent = { permissions: changesWhatIsSent ? [...permissions] : null, enabled }
      return shown(await changeEndpoint(database, merchantId, changed, lent), null)
    },
  })

const sendTest = (database: Database): Action =>
  defineAction('sendTestWebhook', {
    async handle({ session: { merchantId } }, { id, topic }) {
      const timestamp = new Date().toISOString()
      const body = JSON.stringify({
        type: 'webhook.test',
        timestamp,
        occurredAt: timestamp,
        data: { message: 'The endpoint can be reached' },
      })
      const queued = await events.queueTest(database, { merchantId, endpointId: id, topic, body })
      switch (queued.outcome) {
        case 'queued':
          return done({ merchantId, webhookDeliveryId: queued.webhookDeliveryId })
        case 'unknown_endpoint':
          return noEndpoint('id')
        default:
          return queued satisfies never
      }
    },
  })

const replay = (database: Database): Action =>
  defineAction('replayWebhookDeliveries', {
    check: ({ input: { deliveryIds, startDate, endDate } }) =>
      (deliveryIds === null) === (startDate === null && endDate === null)
        ? [invalidValue('deliveryIds', 'Either deliveries or a span of time is sent again')]
        : [],
    async handle({ session: { merchantId } }, { input }) {
      const { endpointId, deliveryIds, startDate, endDate, onlyUndelivered } = input
      const replayed = await events.replay(database, {
        merchantId,
        endpointId,
        deliveryIds,
        from: startDate,
        to: endDate,
        onlyUndelivered: onlyUndelivered ?? false,
        limit: maxReplayed,
      })
      switch (replayed.outcome) {
        case 'replayed':
          return done({ count: replayed.count, replayedUntil: replayed.until })
        case 'unknown_endpoint':
          return noEndpoint('endpointId')
        case 'unknown_delivery':
          return invalid(notFound(`deliveryIds.${replayed.index}`, 'WebhookDelivery'))
        default:
          return replayed satisfies never
      }
    },
  })
