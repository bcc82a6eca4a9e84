import { createHash, randomUUID } from 'node:crypto'
import { noMerchant } from '@commerce-graph/contract/ids'
import type { SecretBox } from '@commerce-graph/secret-box'
import { entryOf, targetIdsOf } from '@commerce-graph/audit'
import type { Queryable } from '../database.ts'
import type { Action, ActionCall, IdempotencyKey } from './action.ts'
import { attemptOf } from './audited-call.ts'
import { type AnySession, ownerOf, principalOf } from './session.ts'
import * as platform from '../sql/generated/platform.ts'

/** Seconds for which an answer that holds secrets is repeated. */
const secretsKept = 10 * 60

export type Recalled =
  | { readonly outcome: 'new' }
  | { readonly outcome: 'repeated'; readonly response: unknown }
  /** `forgotten`: the request is the same, and its answer is not kept any more. */
  | { readonly outcome: 'conflict'; readonly forgotten: boolean }

/**
 * What the functions that answer a list of requests are told of one, so that they recall and remember its answer, and write
 * its entry of the audit log.
 */
export interface ListedRequest {
  /** As `platform.keyed_request`; null without an Idempotency-Key. */
  readonly key: object | null
  readonly recordIds: readonly string[]
  /** As `audit.append` takes it, without what came of it; null for a call of the platform's own. */
  readonly entry: object | null
}

/** A call as a request of a list. `key`: its row, if it has an Idempotency-Key. */
export function listedRequest(call: ActionCall<AnySession>, key: ListedRequest['key']): ListedRequest {
  const { origin } = call
  return {
    key,
    recordIds: targetIdsOf(call.input),
    entry: origin === null ? null : entryOf(attemptOf({ ...call, origin })),
  }
}

/** A call with an Idempotency-Key, and the record of what came of it. */
export class KeyedRequest {
  readonly #call: ActionCall<AnySession>
  readonly #caller: ReturnType<typeof callerOf>
  readonly #key: IdempotencyKey
  readonly #secretBox: SecretBox
  readonly #answersSecret: boolean

  constructor(
    call: ActionCall<AnySession>,
    key: IdempotencyKey,
    {
      secretBox,
      answersSecret,
      provenBy,
    }: { readonly secretBox: SecretBox } & Pick<Action, 'answersSecret' | 'provenBy'>,
  ) {
    this.#call = call
    this.#caller = callerOf(call, provenBy)
    this.#key = key
    this.#secretBox = secretBox
    this.#answersSecret = answersSecret
  }

  /** Waits for other requests with the key; from then on this one has it until its transaction ends. */
  async recall(sql: Queryable): Promise<Recalled> {
    const found = await platform.recall(sql, { request: this.#row })
    if (found.outcome !== 'repeated' || found.sealed === null) return found
    const response: unknown = JSON.parse(this.#secretBox.open(found.sealed, this.#context))
    return { outcome: 'repeated', response }
  }

  async remember(sql: Queryable, response: object): Promise<void> {
    const [open, sealed] = this.#answersSecret
      ? [null, this.#secretBox.seal(JSON.stringify(response), this.#context)]
      : [response, null]
    const ids = targetIdsOf(this.#call.input, response)
    await platform.remember(sql, {
      request: this.#row,
      response: open,
      sealed,
      seconds: secretsKept,
      recordIds: [...ids],
    })
  }

  /** As a request of the list that `platform.recall_all` takes. */
  get listed(): ListedRequest {
    const { merchantId, ...row } = this.#row
    return listedRequest(this.#call, { merchant_id: merchantId, ...row })
  }

  get #row(): platform.RecallArguments['request'] {
    const { merchantId, caller } = this.#caller
    return {
      merchantId,
      caller,
      key: this.#key.value,
      part: this.#key.part,
      operation: this.#call.action,
      fingerprints: this.#fingerprints,
    }
  }

  // The input may hold a password, so it takes our key to find out what a digest is of. Secrets are repeated to the caller
  // who got them, not to another one who may call the action.
  get #fingerprints(): readonly string[] {
    const { session, action, input } = this.#call
    const who = this.#answersSecret && session.role !== 'operator' ? principalOf(session) : null
    return this.#secretBox.digests(JSON.stringify(['Idempotency-Key', action, who, sortKeys(input)]))
  }

  get #context(): string {
    const { merchantId, caller } = this.#caller
    return JSON.stringify(['Idempotency-Key', merchantId, caller, this.#key.value, this.#key.part])
  }
}

/**
 * The owner of the key: a shopper has keys of its own, and a merchant's API keys and users share theirs. A guest is identified by
 * the secret that proves it, in the argument `provenBy`, and without one by its network and its cart's secret. Hasura's own API
 * doesn't know the network, and a guest without a cart has no secret yet: then each request counts as another guest's.
 */
function callerOf(
  { session, input }: ActionCall<AnySession>,
  provenBy: string | undefined,
): { readonly merchantId: string; readonly caller: string } {
  if (session.role === 'operator') return { merchantId: noMerchant, caller: 'operator' }
  const { merchantId } = session
  if (session.role === 'guest') {
    const proof = provenBy === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[provenBy]
    // A secret of 256 random bits can't be guessed from its digest.
    if (typeof proof === 'string')
      return { merchantId, caller: `secret:${createHash('sha256').update(proof).digest('hex')}` }
    const { client = randomUUID(), cartSecretHash } = session
    return {
      merchantId,
      caller: `guest:${session.keyId} ${client} ${cartSecretHash.toString('hex')}`,
    }
  }
  const owner = ownerOf(session)
  return { merchantId, caller: owner === null ? 'merchant' : `customer:${owner}` }
}

// The same object sent with its fields in another order is the same request.
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sortKeys(entry)]),
  )
}
