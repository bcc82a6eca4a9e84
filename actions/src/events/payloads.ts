import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { z } from 'zod'

/** For whom records are read: what an endpoint may see. */
export interface PayloadReader {
  readonly merchantId: MerchantId
  readonly endpointId: string
  readonly permissions: readonly string[]
  /** The endpoint is being written, and isn't in the database. */
  readonly isDraft: boolean
}

export interface RecordReference {
  readonly type: string
  readonly id: string
}

const answerSchema = z.object({
  data: z.object({ _entities: z.array(z.unknown()) }).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        path: z.array(z.union([z.string(), z.number()])).optional(),
        extensions: z.object({ details: z.object({ field: z.string().nullish() }).optional() }).optional(),
      }),
    )
    .optional(),
})

/** The records in the order of the references, with the errors of each; or why there are none. */
export type ReadRecords =
  | {
      readonly kind: 'read'
      readonly records: readonly { readonly data: unknown; readonly errors: readonly string[] }[]
    }
  /** The document as such. */
  | { readonly kind: 'refused'; readonly errors: readonly string[] }
  /** The contract can't be asked now. */
  | { readonly kind: 'unreachable'; readonly reason: string }

export interface Payloads {
  /** Runs a payload's document at the contract, with the permissions of the reader. Never rejects. */
  read(reader: PayloadReader, document: string, references: readonly RecordReference[]): Promise<ReadRecords>
}

const timeout = 10_000

/**
 * Payloads are read at the contract's own address, as a client reads them: so there is one set of rules for what is valid, how deep and how
 * dear it may be, and who sees it.
 *
 * @param graphqlUrl the contract
 */
export const openPayloads = (
  graphqlUrl: string,
  tokenIssuer: Pick<TokenIssuer, 'issueForEndpoint'>,
): Payloads => ({
  async read(reader, query, references) {
    try {
      const token = await tokenIssuer.issueForEndpoint(reader)
      const representations = references.map(({ type, id }) => ({ __typename: type, id }))
      const response = await fetch(graphqlUrl, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { representations } }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      })
      const text = await response.text()
      // Too many requests at once, or a contract that is starting or stopping.
      if (response.status === 401 || response.status === 429 || response.status >= 500)
        return { kind: 'unreachable', reason: `The contract answered ${response.status}` }
      const answer = answerSchema.parse(JSON.parse(text))
      // Of a merchant that was suspended a moment ago.
      if (answer.errors?.some(({ extensions }) => extensions?.details?.field === 'Authorization') === true)
        return { kind: 'unreachable', reason: 'The contract refused the token' }
      return recordsOf(answer, references.length)
    } catch (error) {
      return { kind: 'unreachable', reason: error instanceof Error ? error.message : String(error) }
    }
  },
})

function recordsOf({ data, errors = [] }: z.infer<typeof answerSchema>, count: number): ReadRecords {
  if (!data) return { kind: 'refused', errors: errors.map(({ message }) => message) }
  return {
    kind: 'read',
    records: Array.from({ length: count }, (_, index) => ({
      data: data._entities[index] ?? null,
      errors: errors
        .filter(({ path = [] }) => path[1] === index || path.length < 2)
        .map(({ message }) => message),
    })),
  }
}
