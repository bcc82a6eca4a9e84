import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { z } from 'zod'

/** For whom a job reads: a key or user, with permissions of theirs. */
export interface JobHolder {
  readonly merchantId: MerchantId
  readonly jobId: string
  readonly holder: { readonly kind: 'key' | 'user'; readonly id: string }
  readonly permissions: readonly string[]
}

export interface Page {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Where the next page begins; null after the last one. */
  readonly next: string | null
  /** The number of all rows, if it was asked for. */
  readonly total: number | null
  /** The bytes of the answer. */
  readonly bytes: number
}

export type PageAnswer =
  | { readonly kind: 'page'; readonly page: Page }
  /** The same request will be refused again. `id`: the error's, of the catalogue. */
  | { readonly kind: 'refused'; readonly id: string | null; readonly reason: string }
  /** It may work later. */
  | { readonly kind: 'failed'; readonly reason: string }

export interface PageRequest {
  readonly query: string
  readonly first: number
  readonly after: string | null
  readonly counted: boolean
}

/** Reads pages for one job. */
export type ReadPage = (request: PageRequest) => Promise<PageAnswer>

/** Milliseconds: more than the gateway allows itself. */
const pageTimeout = 60_000
/** Milliseconds before its expiry at which a token is no longer used. */
const tokenReserve = 90_000

const answer = z.object({
  data: z
    .object({
      rows: z.object({
        totalCount: z.number().optional(),
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        nodes: z.array(z.record(z.string(), z.unknown())),
      }),
    })
    .nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ id: z.string() }).partial().optional() }))
    .optional(),
  extensions: z
    .object({ shortenedLists: z.array(z.object({ path: z.array(z.unknown()), max: z.number() })) })
    .partial()
    .optional(),
})

/**
 * Reads pages through the contract's endpoint, as any client does, with tokens of the job's own.
 *
 * @param graphqlUrl ends with /graphql
 */
export function pageReader(
  { graphqlUrl, tokenIssuer }: { readonly graphqlUrl: string; readonly tokenIssuer: TokenIssuer },
  job: JobHolder,
): ReadPage {
  let token: { readonly accessToken: string; readonly expiresAt: Date } | undefined
  return async ({ query, ...variables }) => {
    if (token === undefined || token.expiresAt.getTime() < Date.now() + tokenReserve)
      token = await tokenIssuer.issueForJob(job)
    try {
      const response = await fetch(graphqlUrl, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token.accessToken}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify({ query, variables }),
        redirect: 'error',
        signal: AbortSignal.timeout(pageTimeout),
      })
      return pageAnswer(response.status, await response.text())
    } catch (error) {
      return {
        kind: 'failed',
        reason: error instanceof Error ? error.message : 'The contract can not be reached',
      }
    }
  }
}

function pageAnswer(status: number, text: string): PageAnswer {
  if (status === 429 || status >= 500)
    return { kind: 'failed', reason: `The contract answered with ${status}` }
  const read = answer.safeParse(JSON.parse(text))
  if (!read.success) return { kind: 'failed', reason: 'The contract’s answer has another form' }
  const { data, errors: [error] = [], extensions } = read.data
  if (error !== undefined) return { kind: 'refused', id: error.extensions?.id ?? null, reason: error.message }
  if (data == null) return { kind: 'failed', reason: 'The contract answered without data' }
  const [shortened] = extensions?.shortenedLists ?? []
  if (shortened !== undefined) {
    const path = shortened.path
      .filter((part) => typeof part === 'string')
      .slice(2)
      .join('.')
    return {
      kind: 'refused',
      id: null,
      reason: `A record has more than ${shortened.max} ${path}, and the file would not have all: export them by themselves`,
    }
  }
  const { totalCount, pageInfo, nodes } = data.rows
  return {
    kind: 'page',
    page: {
      rows: nodes,
      next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
      total: totalCount ?? null,
      bytes: Buffer.byteLength(text),
    },
  }
}
