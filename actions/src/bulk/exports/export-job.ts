import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { FileStorage } from '@commerce-graph/file-storage'
import type { Database } from '../../database.ts'
import type * as bulk from '../../sql/generated/bulk.ts'

export interface ExportOptions {
  readonly database: Database
  readonly files: FileStorage
  readonly tokenIssuer: TokenIssuer
  /** The contract's endpoint, which ends with /graphql. */
  readonly graphqlUrl: string
  /** Aborts when the process stops: an export is given back after its next part. */
  readonly signal?: AbortSignal
  /** Milliseconds of a turn; then other exports have theirs. */
  readonly turn?: number
  /** Bytes of a part, about. */
  readonly partBytes?: number
}

export type ExportJob = Omit<bulk.ClaimExportAnswer, 'merchantId'> & { readonly merchantId: MerchantId }

/** How a turn of an export ended. */
export type Turn =
  | {
      readonly kind: 'whole'
      readonly fileKey: string
      readonly rows: number
      readonly bytes: number
      readonly what: string
    }
  /** The turn is over, and there are more rows. */
  | { readonly kind: 'more'; readonly rows: number }
  | { readonly kind: 'refused'; readonly rows: number; readonly reason: string }
  /** It may work later. */
  | { readonly kind: 'failed'; readonly rows: number; readonly reason: string }
  /** It was cancelled, or another worker has it. */
  | { readonly kind: 'lost' }

/** Seconds after which another worker goes on with an export whose worker has died. */
export const lease = 60
