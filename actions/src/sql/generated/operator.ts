// Written from sql/ by `npm run generate`. Don't edit.
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'

export interface ClaimSignUpMailsArguments {
  readonly limit: number
  readonly lease: Seconds
  readonly maxAttempts: number
}

export type ClaimSignUpMailsAnswer = { readonly id: string; readonly email: string; readonly hash: string; readonly token: string }

/** `operator.claim_sign_up_mails`: Takes the requests whose mail is due. A process that dies leaves them to another one after the lease. After the last attempt the token is forgotten.  */
export const claimSignUpMails = (sql: Queryable, args: ClaimSignUpMailsArguments): Promise<readonly ClaimSignUpMailsAnswer[]> =>
  rowsOf<ClaimSignUpMailsAnswer>(sql`SELECT id AS "id", email AS "email", hash AS "hash", token AS "token" FROM operator.claim_sign_up_mails(
      p_limit => ${args.limit}::integer,
      p_lease => make_interval(secs => ${args.lease}),
      p_max_attempts => ${args.maxAttempts}::integer
    )`)

export interface ForgetSignUpTokenArguments {
  readonly id: string
}

export type ForgetSignUpTokenAnswer = void

/** `operator.forget_sign_up_token`: The mail is sent, or will never be.  */
export const forgetSignUpToken = (caller: Caller, args: ForgetSignUpTokenArguments): Promise<ForgetSignUpTokenAnswer> =>
  answerOf<ForgetSignUpTokenAnswer>(caller, 'operator.forget_sign_up_token', (sql) => sql`operator.forget_sign_up_token(
      p_id => ${args.id}::uuid
    )`)

export interface FindSignUpArguments {
  readonly hash: Buffer
}

export type FindSignUpAnswer =
  | { readonly outcome: 'open'; readonly id: string; readonly account: object }
  | { readonly outcome: 'opened'; readonly id: string; readonly answer: string }
  | { readonly outcome: 'unknown' }

/** `operator.find_sign_up`: The request of a mailed token. The lock has a second use of the token wait for the first one, and find its answer.  */
export const findSignUp = (caller: Caller, args: FindSignUpArguments): Promise<FindSignUpAnswer> =>
  answerOf<FindSignUpAnswer>(caller, 'operator.find_sign_up', (sql) => sql`operator.find_sign_up(
      p_hash => ${args.hash}::bytea
    )`)

export interface CompleteSignUpArguments {
  readonly id: string
  readonly answer: string
}

export type CompleteSignUpAnswer = void

/** `operator.complete_sign_up` */
export const completeSignUp = (caller: Caller, args: CompleteSignUpArguments): Promise<CompleteSignUpAnswer> =>
  answerOf<CompleteSignUpAnswer>(caller, 'operator.complete_sign_up', (sql) => sql`operator.complete_sign_up(
      p_id => ${args.id}::uuid,
      p_answer => ${args.answer}::text
    )`)

export interface PurgeSignUpsArguments {
  readonly limit: number
}

export type PurgeSignUpsAnswer = number

/** `operator.purge_sign_ups` */
export const purgeSignUps = (caller: Caller, args: PurgeSignUpsArguments): Promise<PurgeSignUpsAnswer> =>
  answerOf<PurgeSignUpsAnswer>(caller, 'operator.purge_sign_ups', (sql) => sql`operator.purge_sign_ups(
      p_limit => ${args.limit}::integer
    )`)

export interface RequestSignUpArguments {
  readonly email: string
  readonly account: object
  readonly network: string | null
  readonly hash: Buffer
  readonly token: string
  readonly lifetime: Seconds
}

export type RequestSignUpAnswer =
  | { readonly outcome: 'requested' }
  | { readonly outcome: 'too_many'; readonly retryAfter: number }

/** `operator.request_sign_up`: Writes a request for a shop down, to be confirmed by mail. An address gets one mail within ten minutes and five a day; the request is written down in any case, so neither the answer nor its time tells.  */
export const requestSignUp = (caller: Caller, args: RequestSignUpArguments): Promise<RequestSignUpAnswer> =>
  answerOf<RequestSignUpAnswer>(caller, 'operator.request_sign_up', (sql) => sql`operator.request_sign_up(
      p_email => ${args.email}::citext,
      p_account => ${jsonOf(sql, args.account)}::jsonb,
      p_network => ${args.network}::text,
      p_hash => ${args.hash}::bytea,
      p_token => ${args.token}::text,
      p_lifetime => make_interval(secs => ${args.lifetime})
    )`)

export interface SettleDeadLettersArguments {
  readonly ids: readonly string[]
  readonly retry: boolean
}

export type SettleDeadLettersAnswer =
  | { readonly outcome: 'settled'; readonly count: number }
  | { readonly outcome: 'unknown'; readonly index: number }

/** `operator.settle_dead_letters`: Retries what was given up, with all its attempts, or drops it for good. Nothing is done where an id is unknown; what another caller has settled meanwhile is left out of `count`.  */
export const settleDeadLetters = (caller: Caller, args: SettleDeadLettersArguments): Promise<SettleDeadLettersAnswer> =>
  answerOf<SettleDeadLettersAnswer>(caller, 'operator.settle_dead_letters', (sql) => sql`operator.settle_dead_letters(
      p_ids => ${listOf(args.ids)}::uuid[],
      p_retry => ${args.retry}::boolean
    )`)
