import { AnswerCache, type AnswerCounts, type Answered } from '@commerce-graph/answer-cache'
import type { Principal } from '@commerce-graph/auth-webhook'
import { minCompressedBytes } from '@commerce-graph/http-server'
import { hash } from 'node:crypto'
import type { CheckedRequest } from '../check-request.ts'
import type { Answer } from '../http/server.ts'
import type { Limits } from '../limits/limits.ts'
import type { PreparedOperation } from '../plan/prepared-operation.ts'

/** All that the answer to a query depends on, besides the data. */
export interface AskedAnswer {
  readonly checked: Extract<CheckedRequest, { kind: 'request' }>
  readonly principal: Principal
  readonly mediaType: string
  readonly showsComplexity: boolean
}

/** Of the body, what a compressed copy of it takes at most, by experience. */
const compressedPart = 0.5

/**
 * The answers to queries, as long as they are what the database would answer now. Callers share an answer only if they are the
 * same key, user or shopper with the same rights: row filters and masked fields depend on no more than that.
 */
export class KeptAnswers {
  readonly #cache: AnswerCache<Answer>
  /** A document is checked once, as long as it is known; so its operation stands for its text. */
  readonly #operations = new WeakMap<PreparedOperation, number>()
  readonly #principals = new WeakMap<Principal, string>()
  #lastOperation = 0

  constructor({ keptAnswerBytes }: Pick<Limits, 'keptAnswerBytes'>) {
    this.#cache = new AnswerCache({ maxBytes: keptAnswerBytes, sizeOf: bytesOf })
  }

  get counts(): AnswerCounts {
    return this.#cache.counts
  }

  get bytes(): number {
    return this.#cache.bytes
  }

  /** @param read gives an answer with validity only if it has no errors, whose text names their request */
  answer(asked: AskedAnswer, read: (wantsValidity: boolean) => Promise<Answered<Answer>>): Promise<Answer> {
    return this.#cache.answer(this.#keyOf(asked), async (wantsValidity) => {
      const { value, validity } = await read(wantsValidity)
      // Bytes are made of a text once, and not for each request.
      return { value: validity ? { ...value, body: Buffer.from(value.body) } : value, validity }
    })
  }

  #keyOf({ checked, principal, mediaType, showsComplexity }: AskedAnswer): string {
    const { operation, variables } = checked
    const parts = [
      this.#numberOf(operation.prepared),
      this.#identityOf(principal),
      variables,
      mediaType,
      showsComplexity,
    ]
    return hash('sha256', JSON.stringify(parts), 'base64')
  }

  #numberOf(operation: PreparedOperation): number {
    const known = this.#operations.get(operation)
    if (known !== undefined) return known
    this.#lastOperation += 1
    this.#operations.set(operation, this.#lastOperation)
    return this.#lastOperation
  }

  #identityOf(principal: Principal): string {
    const known = this.#principals.get(principal)
    if (known !== undefined) return known
    const identity = hash(
      'sha256',
      JSON.stringify({ ...principal, permissions: [...principal.permissions].sort() }),
      'base64',
    )
    this.#principals.set(principal, identity)
    return identity
  }
}

function bytesOf({ body }: Answer): number {
  const bytes = Buffer.byteLength(body)
  return bytes < minCompressedBytes ? bytes : Math.ceil(bytes * (1 + compressedPart))
}
