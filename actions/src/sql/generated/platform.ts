// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf } from '../../database.ts'
import { answerOf, type Caller, listOf, type Seconds } from '../answer-of.ts'

export interface RecallArguments {
  readonly request: { readonly merchantId: string; readonly caller: string; readonly key: string; readonly part: string; readonly operation: string; readonly fingerprints: readonly string[] }
}

export type RecallAnswer =
  | { readonly outcome: 'new' }
  | { readonly outcome: 'conflict'; readonly forgotten: boolean }
  | { readonly outcome: 'repeated'; readonly response: unknown; readonly sealed: string | null }

/** `platform.recall` */
export const recall = (caller: Caller, args: RecallArguments): Promise<RecallAnswer> =>
  answerOf<RecallAnswer>(caller, 'platform.recall', (sql) => sql`platform.recall(
      p_request => ROW(${args.request.merchantId}::uuid, ${args.request.caller}::text, ${args.request.key}::text, ${args.request.part}::text, ${args.request.operation}::text, ${listOf(args.request.fingerprints)}::text[])::platform.keyed_request
    )`)

export interface RememberArguments {
  readonly request: { readonly merchantId: string; readonly caller: string; readonly key: string; readonly part: string; readonly operation: string; readonly fingerprints: readonly string[] }
  readonly response: object | null
  readonly sealed: string | null
  readonly seconds: number
  readonly recordIds: readonly string[]
}

export type RememberAnswer = void

/** `platform.remember` */
export const remember = (caller: Caller, args: RememberArguments): Promise<RememberAnswer> =>
  answerOf<RememberAnswer>(caller, 'platform.remember', (sql) => sql`platform.remember(
      p_request => ROW(${args.request.merchantId}::uuid, ${args.request.caller}::text, ${args.request.key}::text, ${args.request.part}::text, ${args.request.operation}::text, ${listOf(args.request.fingerprints)}::text[])::platform.keyed_request,
      p_response => ${jsonOf(sql, args.response)}::jsonb,
      p_sealed => ${args.sealed}::text,
      p_seconds => ${args.seconds}::integer,
      p_record_ids => ${listOf(args.recordIds)}::uuid[]
    )`)

export interface PurgeIdempotencyRecordsArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type PurgeIdempotencyRecordsAnswer = number

/** `platform.purge_idempotency_records` */
export const purgeIdempotencyRecords = (caller: Caller, args: PurgeIdempotencyRecordsArguments): Promise<PurgeIdempotencyRecordsAnswer> =>
  answerOf<PurgeIdempotencyRecordsAnswer>(caller, 'platform.purge_idempotency_records', (sql) => sql`platform.purge_idempotency_records(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export type PlaceAnswer = string

/** `platform.place` */
export const place = (caller: Caller): Promise<PlaceAnswer> =>
  answerOf<PlaceAnswer>(caller, 'platform.place', (sql) => sql`platform.place()`)

export interface PurgeEngineLogsArguments {
  readonly eventsKept: Seconds
  readonly invocationsKept: Seconds
  readonly limit: number
}

export type PurgeEngineLogsAnswer = number

/** `platform.purge_engine_logs`: Deletes what Hasura keeps of events that have ended, dead letters included, and of their invocations, at most p_limit rows of each table. Hasura makes its tables after this function, and times without a zone are in UTC or the session's: hours don't matter here.  */
export const purgeEngineLogs = (caller: Caller, args: PurgeEngineLogsArguments): Promise<PurgeEngineLogsAnswer> =>
  answerOf<PurgeEngineLogsAnswer>(caller, 'platform.purge_engine_logs', (sql) => sql`platform.purge_engine_logs(
      p_events_kept => make_interval(secs => ${args.eventsKept}),
      p_invocations_kept => make_interval(secs => ${args.invocationsKept}),
      p_limit => ${args.limit}::integer
    )`)
