// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'
import type * as notification from './notification.ts'

export interface PurgeArguments {
  readonly merchantId: MerchantId
  readonly olderThan: Seconds
  readonly limit: number
}

export type PurgeAnswer = number

/** `events.purge`: Deletes events and what belongs to them, the oldest first.  */
export const purge = (caller: Caller, args: PurgeArguments): Promise<PurgeAnswer> =>
  answerOf<PurgeAnswer>(caller, 'events.purge', (sql) => sql`events.purge(
      p_merchant_id => ${args.merchantId}::uuid,
      p_older_than => make_interval(secs => ${args.olderThan}),
      p_limit => ${args.limit}::integer
    )`)

export interface PurgeDeliveriesArguments {
  readonly merchantId: MerchantId
  readonly olderThan: Seconds
  readonly limit: number
}

export type PurgeDeliveriesAnswer = number

/** `events.purge_deliveries`: Deletes deliveries that have ended, the oldest first.  */
export const purgeDeliveries = (caller: Caller, args: PurgeDeliveriesArguments): Promise<PurgeDeliveriesAnswer> =>
  answerOf<PurgeDeliveriesAnswer>(caller, 'events.purge_deliveries', (sql) => sql`events.purge_deliveries(
      p_merchant_id => ${args.merchantId}::uuid,
      p_older_than => make_interval(secs => ${args.olderThan}),
      p_limit => ${args.limit}::integer
    )`)

export interface PurgeDeletionsArguments {
  readonly merchantId: MerchantId
  readonly olderThan: Seconds
  readonly limit: number
}

export type PurgeDeletionsAnswer = number

/** `events.purge_deletions`: Deletes records of deletions that are older than this. Returns how many. */
export const purgeDeletions = (caller: Caller, args: PurgeDeletionsArguments): Promise<PurgeDeletionsAnswer> =>
  answerOf<PurgeDeletionsAnswer>(caller, 'events.purge_deletions', (sql) => sql`events.purge_deletions(
      p_merchant_id => ${args.merchantId}::uuid,
      p_older_than => make_interval(secs => ${args.olderThan}),
      p_limit => ${args.limit}::integer
    )`)

export interface MayAddEndpointArguments {
  readonly merchantId: MerchantId
  readonly most: number
}

export type MayAddEndpointAnswer = boolean

/** `events.may_add_endpoint`: A lock for the number of a merchant's endpoints, and whether there may be one more.  */
export const mayAddEndpoint = (caller: Caller, args: MayAddEndpointArguments): Promise<MayAddEndpointAnswer> =>
  answerOf<MayAddEndpointAnswer>(caller, 'events.may_add_endpoint', (sql) => sql`events.may_add_endpoint(
      p_merchant_id => ${args.merchantId}::uuid,
      p_most => ${args.most}::integer
    )`)

export interface KeepRenderingArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly body: string | null
  readonly permissionsVersion: number
  readonly delay: Seconds
}

export type KeepRenderingAnswer = void

/** `events.keep_rendering`: Keeps what was rendered, with the version of the permissions that it was rendered with; a delivery that couldn't be waits, and is rendered later.  */
export const keepRendering = (caller: Caller, args: KeepRenderingArguments): Promise<KeepRenderingAnswer> =>
  answerOf<KeepRenderingAnswer>(caller, 'events.keep_rendering', (sql) => sql`events.keep_rendering(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_body => ${args.body}::text,
      p_permissions_version => ${args.permissionsVersion}::integer,
      p_delay => make_interval(secs => ${args.delay})
    )`)

export interface KeepDeliveriesArguments {
  readonly ids: readonly string[]
  readonly attempts: readonly number[]
  readonly lease: Seconds
}

export type KeepDeliveriesAnswer = void

/** `events.keep_deliveries`: Renews the claims of deliveries that are under way; those of which another attempt has begun are left alone.  */
export const keepDeliveries = (caller: Caller, args: KeepDeliveriesArguments): Promise<KeepDeliveriesAnswer> =>
  answerOf<KeepDeliveriesAnswer>(caller, 'events.keep_deliveries', (sql) => sql`events.keep_deliveries(
      p_ids => ${listOf(args.ids)}::uuid[],
      p_attempts => ${listOf(args.attempts)}::integer[],
      p_lease => make_interval(secs => ${args.lease})
    )`)

export interface ClaimDeliveriesArguments {
  readonly limit: number
  readonly atOnce: number
  readonly lease: Seconds
}

export type ClaimDeliveriesAnswer = { readonly merchantId: MerchantId; readonly id: string; readonly endpointId: string; readonly url: string; readonly secret: string; readonly previousSecret: string | null; readonly body: string; readonly attempt: number; readonly topic: string; readonly traceContext: string | null }

/** `events.claim_deliveries`: Deliveries to send now. Of a record, an endpoint gets the next one after the one before was taken or given up. An endpoint that answers has p_at_once of them under way, one that fails has one; one that is switched off gets tests alone. What was rendered before the endpoint lost a permission is not sent: it is to be rendered again.  */
export const claimDeliveries = (sql: Queryable, args: ClaimDeliveriesArguments): Promise<readonly ClaimDeliveriesAnswer[]> =>
  rowsOf<ClaimDeliveriesAnswer>(sql`SELECT merchant_id AS "merchantId", id AS "id", endpoint_id AS "endpointId", url AS "url", secret AS "secret", previous_secret AS "previousSecret", body AS "body", attempt AS "attempt", topic AS "topic", trace_context AS "traceContext" FROM events.claim_deliveries(
      p_limit => ${args.limit}::integer,
      p_at_once => ${args.atOnce}::integer,
      p_lease => make_interval(secs => ${args.lease})
    )`)

export interface ClaimRenderingsArguments {
  readonly limit: number
  readonly batch: number
  readonly lease: Seconds
}

export type ClaimRenderingsAnswer = { readonly merchantId: MerchantId; readonly endpointId: string; readonly query: string | null; readonly permissions: readonly string[]; readonly permissionsVersion: number; readonly id: string; readonly attempt: number; readonly event: object }

/** `events.claim_renderings`: Deliveries that have to be rendered, of as many endpoints as the limit, and of each at most p_batch. An endpoint is with one caller at a time, so that one whose selection is slow, or which has much to render, holds up only itself. A delivery of an event that the endpoint may not see any more has failed. Those of a suspended merchant wait.  */
export const claimRenderings = (sql: Queryable, args: ClaimRenderingsArguments): Promise<readonly ClaimRenderingsAnswer[]> =>
  rowsOf<ClaimRenderingsAnswer>(sql`SELECT merchant_id AS "merchantId", endpoint_id AS "endpointId", query AS "query", permissions AS "permissions", permissions_version AS "permissionsVersion", id AS "id", attempt AS "attempt", event AS "event" FROM events.claim_renderings(
      p_limit => ${args.limit}::integer,
      p_batch => ${args.batch}::integer,
      p_lease => make_interval(secs => ${args.lease})
    )`)

export interface QueueTestArguments {
  readonly merchantId: MerchantId
  readonly endpointId: string
  readonly topic: string | null
  readonly body: string
}

export type QueueTestAnswer =
  | { readonly outcome: 'queued'; readonly webhookDeliveryId: string }
  | { readonly outcome: 'unknown_endpoint' }

/** `events.queue_test`: A test for an endpoint: with the payload of the topic's latest event that the endpoint may hear of, or as p_body says where there is none.  */
export const queueTest = (caller: Caller, args: QueueTestArguments): Promise<QueueTestAnswer> =>
  answerOf<QueueTestAnswer>(caller, 'events.queue_test', (sql) => sql`events.queue_test(
      p_merchant_id => ${args.merchantId}::uuid,
      p_endpoint_id => ${args.endpointId}::uuid,
      p_topic => ${args.topic}::text,
      p_body => ${args.body}::text
    )`)

export interface ReplayArguments {
  readonly merchantId: MerchantId
  readonly endpointId: string
  readonly from: string | null
  readonly to: string | null
  readonly deliveryIds: readonly string[] | null
  readonly onlyUndelivered: boolean
  readonly limit: number
}

export type ReplayAnswer =
  | { readonly outcome: 'replayed'; readonly count: number; readonly until: string | null }
  | { readonly outcome: 'unknown_endpoint' }
  | { readonly outcome: 'unknown_delivery'; readonly index: number }

/** `events.replay`: Sends events of a span again, or for the first time: those that the endpoint hears of, by its topics, filter and permissions, p_limit of them from the earliest on, and the others of the last one's instant. `until` is the time of the first one that is left; NULL: none is. Of named deliveries, those of events that the endpoint may not see are left out.  */
export const replay = (caller: Caller, args: ReplayArguments): Promise<ReplayAnswer> =>
  answerOf<ReplayAnswer>(caller, 'events.replay', (sql) => sql`events.replay(
      p_merchant_id => ${args.merchantId}::uuid,
      p_endpoint_id => ${args.endpointId}::uuid,
      p_from => ${args.from}::text::timestamptz,
      p_to => ${args.to}::text::timestamptz,
      p_delivery_ids => ${listOf(args.deliveryIds)}::uuid[],
      p_only_undelivered => ${args.onlyUndelivered}::boolean,
      p_limit => ${args.limit}::integer
    )`)

export interface SequenceArguments {
  readonly limit: number
}

export type SequenceAnswer = { readonly outcome: 'sequenced'; readonly taken: number; readonly topics: object }

/** `events.sequence`: Turns committed changes into events, in the order in which each row was changed, gives each its version and position, and queues it for the endpoints that hear of it. One caller at a time does it, and the lock is held until its commit; another returns at once. Changes of a merchant that is gone are dropped. `topics` has how many events each topic got.  */
export const sequence = (caller: Caller, args: SequenceArguments): Promise<SequenceAnswer> =>
  answerOf<SequenceAnswer>(caller, 'events.sequence', (sql) => sql`events.sequence(
      p_limit => ${args.limit}::integer
    )`)

export interface SettleDeliveryArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly attempt: number
  readonly outcome: string
  readonly url: string
  readonly requestHeaders: object
  readonly responseStatus: number | null
  readonly responseHeaders: object | null
  readonly responseBody: string | null
  readonly error: string | null
  readonly startedAt: string
  readonly durationMs: number
  readonly retryAfter: number | null
  readonly delays: readonly number[]
  readonly switchOffAfter: Seconds
}

export type SettleDeliveryAnswer =
  | { readonly outcome: 'settled' }
  | { readonly outcome: 'switched_off'; readonly disabledAt: string; readonly message: notification.Message }

/** `events.settle_delivery`: Records how an attempt ended, and what follows from it. An attempt that another process has taken over meanwhile is logged, and changes nothing else. p_delays: seconds to the second attempt, the third, and so on; after the last one, the delivery has failed. The seconds are lengthened by up to a fifth, so that what failed together doesn't come back together.  */
export const settleDelivery = (caller: Caller, args: SettleDeliveryArguments): Promise<SettleDeliveryAnswer> =>
  answerOf<SettleDeliveryAnswer>(caller, 'events.settle_delivery', (sql) => sql`events.settle_delivery(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_attempt => ${args.attempt}::integer,
      p_outcome => ${args.outcome}::text,
      p_url => ${args.url}::text,
      p_request_headers => ${jsonOf(sql, args.requestHeaders)}::jsonb,
      p_response_status => ${args.responseStatus}::integer,
      p_response_headers => ${jsonOf(sql, args.responseHeaders)}::jsonb,
      p_response_body => ${args.responseBody}::text,
      p_error => ${args.error}::text,
      p_started_at => ${args.startedAt}::text::timestamptz,
      p_duration_ms => ${args.durationMs}::integer,
      p_retry_after => ${args.retryAfter}::integer,
      p_delays => ${listOf(args.delays)}::integer[],
      p_switch_off_after => make_interval(secs => ${args.switchOffAfter})
    )`)
