import { randomBytes } from 'node:crypto'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import type { WebhookSecret } from '../webhook-signature.ts'

interface OfEndpoint {
  readonly merchantId: MerchantId
  readonly id: string
}

const secretBytes = 32
const contextOf = ({ merchantId, id }: OfEndpoint): string => `webhook endpoint ${merchantId} ${id}`

/** A new secret: as the merchant sees it once, and as the database keeps it. */
export function newSecret(
  secretBox: SecretBox,
  endpoint: OfEndpoint,
): { readonly shown: string; readonly sealed: string } {
  const encoded = randomBytes(secretBytes).toString('base64')
  return { shown: `whsec_${encoded}`, sealed: secretBox.seal(encoded, contextOf(endpoint)) }
}

export const openSecret = (secretBox: SecretBox, endpoint: OfEndpoint, sealed: string): WebhookSecret =>
  Buffer.from(secretBox.open(sealed, contextOf(endpoint)), 'base64')

const resealBatch = 500

/** Seals again what an earlier key has sealed, so that the earlier key can be taken away. Returns how many endpoints that were. */
export const resealEndpoints = ({
  database,
  secretBox,
}: {
  readonly database: Database
  readonly secretBox: SecretBox
}): Promise<number> =>
  inBatches(resealBatch, () =>
    database.begin(async (sql) => {
      const rows = await sql<(OfEndpoint & { readonly secret: string; readonly previous: string | null })[]>`
        SELECT merchant_id AS "merchantId", endpoint_id AS id, secret, previous_secret AS previous
        FROM events.endpoint_secret
        WHERE split_part(secret, '.', 1) <> ${secretBox.keyId}
          OR split_part(previous_secret, '.', 1) <> ${secretBox.keyId}
        LIMIT ${resealBatch} FOR UPDATE SKIP LOCKED`
      for (const { secret, previous, ...endpoint } of rows) {
        const reseal = (sealed: string) =>
          secretBox.seal(secretBox.open(sealed, contextOf(endpoint)), contextOf(endpoint))
        await sql`
          UPDATE events.endpoint_secret
          SET secret = ${reseal(secret)}, previous_secret = ${previous === null ? null : reseal(previous)}
          WHERE merchant_id = ${endpoint.merchantId} AND endpoint_id = ${endpoint.id}`
      }
      return rows.length
    }),
  )
