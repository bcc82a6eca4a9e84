import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { SecretBox } from '@commerce-graph/secret-box'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import {
  type AccountCredentials,
  type AccountMode,
  kindOf,
  type PaymentProcessor,
  type ProcessorEndpoints,
  type ProcessorKind,
} from '../processors/index.ts'
import * as payment from '../sql/generated/payment.ts'

export interface AccountsOptions {
  readonly database: Database
  readonly secretBox: SecretBox
  readonly endpoints: ProcessorEndpoints
  /** Wraps each account's processor, for example in a circuit breaker. */
  readonly guard?: (processor: PaymentProcessor) => PaymentProcessor
}

/** The accounts of merchants, with the processors that they are at. */
export interface PaymentAccounts {
  /** The processor of an account's payments, captures and refunds, also if the account is disabled. */
  processorOf(merchantId: MerchantId, accountId: string): Promise<PaymentProcessor>
  /** The account for the merchant's new payments. */
  activeAt(merchantId: MerchantId, kind: ProcessorKind['name']): Promise<ActiveAccount>
}

/**
 * `none`: the merchant never had an account, so that the operator's may be used. `disabled`: it has had one, so that the operator's
 * may not: the money would go where the merchant doesn't expect it.
 */
export type ActiveAccount =
  | {
      readonly kind: 'active'
      readonly accountId: string
      readonly processor: PaymentProcessor
    }
  | { readonly kind: 'none' | 'disabled' }

/** Processors that are kept open. An account beyond them costs a connection for each payment. */
const keptOpen = 500

export function openPaymentAccounts({
  database,
  secretBox,
  endpoints,
  guard = (processor) => processor,
}: AccountsOptions): PaymentAccounts {
  /** By the stored form of the account, so that new credentials make a new processor. */
  const open = new LRUCache<string, PaymentProcessor>({ max: keptOpen })
  const processorFor = (row: StoredAccount): PaymentProcessor => {
    const processor =
      open.get(row.sealed) ?? guard(kindOf(row.processor).connect(credentialsOf(secretBox, row), endpoints))
    open.set(row.sealed, processor)
    return processor
  }
  return {
    async processorOf(merchantId, accountId) {
      const row = await findAccount(forMerchant(database, merchantId), merchantId, accountId)
      if (row === null) throw new Error(`Payment account ${accountId} has disappeared.`)
      return processorFor(row)
    },
    async activeAt(merchantId, kind) {
      const own = forMerchant(database, merchantId)
      const rows = await own<StoredAccount[]>`
        ${selectAccounts(own)}
        WHERE a.merchant_id = ${merchantId} AND a.processor = ${kind}
        ORDER BY a.status = 'ACTIVE' DESC LIMIT 1`
      const [row] = rows
      if (row === undefined) return { kind: 'none' }
      if (row.status !== 'ACTIVE') return { kind: 'disabled' }
      return { kind: 'active', accountId: row.id, processor: processorFor(row) }
    },
  }
}

export interface StoredAccount {
  readonly merchantId: MerchantId
  readonly id: string
  readonly processor: ProcessorKind['name']
  readonly status: 'ACTIVE' | 'DISABLED'
  readonly mode: AccountMode
  readonly sealed: string
}

const selectAccounts = (sql: Queryable) => sql`
  SELECT a.merchant_id AS "merchantId", a.id, a.processor, a.status, a.mode, s.credentials AS sealed
  FROM payment.account a
  JOIN payment.account_secret s ON s.merchant_id = a.merchant_id AND s.account_id = a.id`

export async function findAccount(
  sql: Queryable,
  merchantId: MerchantId,
  id: string,
): Promise<StoredAccount | null> {
  const [row] = await sql<StoredAccount[]>`
    ${selectAccounts(sql)} WHERE a.merchant_id = ${merchantId} AND a.id = ${id}`
  return row ?? null
}

/** The account that a webhook is for. Its id is all that the processor sends along. */
export async function findAccountOfWebhook(
  sql: Queryable,
  kind: ProcessorKind['name'],
  id: string,
): Promise<StoredAccount | null> {
  const [row] = await sql<StoredAccount[]>`
    ${selectAccounts(sql)} WHERE a.id = ${id} AND a.processor = ${kind}`
  return row ?? null
}

// Accounts of earlier versions have no client id.
const storedCredentials = z.object({
  clientId: z.string().nullable().default(null),
  secretKey: z.string(),
  webhookSecret: z.string().nullable(),
})

export const credentialsOf = (
  secretBox: SecretBox,
  { sealed, ...account }: Pick<StoredAccount, 'merchantId' | 'id' | 'sealed'>,
): AccountCredentials => storedCredentials.parse(JSON.parse(secretBox.open(sealed, contextOf(account))))

const sealedCredentials = (
  secretBox: SecretBox,
  account: Pick<StoredAccount, 'merchantId' | 'id'>,
  { clientId, secretKey, webhookSecret }: AccountCredentials,
): string => secretBox.seal(JSON.stringify({ clientId, secretKey, webhookSecret }), contextOf(account))

const contextOf = ({ merchantId, id }: Pick<StoredAccount, 'merchantId' | 'id'>): string =>
  `payment account ${merchantId} ${id}`

export interface NewAccount {
  readonly id: string
  readonly merchantId: MerchantId
  readonly processor: ProcessorKind['name']
  readonly name: string
  readonly mode: AccountMode
  readonly credentials: AccountCredentials
}

/** Stores an account, which takes the place of the active one at the processor. Returns its id. */
export const connectAccount = (
  sql: Queryable,
  secretBox: SecretBox,
  { credentials, ...account }: NewAccount,
): Promise<string> =>
  payment.connectAccount(sql, {
    ...account,
    credentials: sealedCredentials(secretBox, account, credentials),
    keyEnding: endingOf(credentials),
    hasWebhookSecret: credentials.webhookSecret !== null,
  })

const endingOf = ({ secretKey }: AccountCredentials): string => secretKey.slice(-4)

export interface AccountChange {
  /** Null: it stays. */
  readonly name: string | null
  readonly credentials: AccountCredentials
  /** The caller relies on it that no payment was made with the account. */
  readonly isUnused: boolean
}

/** Stores what was changed of an account. `changed`: it is no longer what the caller has read. */
export const updateAccount = async (
  sql: Queryable,
  secretBox: SecretBox,
  account: StoredAccount,
  { name, credentials, isUnused }: AccountChange,
): Promise<payment.UpdateAccountAnswer> =>
  payment.updateAccount(sql, {
    merchantId: account.merchantId,
    id: account.id,
    name,
    credentials: sealedCredentials(secretBox, account, credentials),
    keyEnding: endingOf(credentials),
    hasWebhookSecret: credentials.webhookSecret !== null,
    readCredentials: account.sealed,
    isUnused,
  })

/** False: there is no such account. */
export async function disableAccount(sql: Queryable, merchantId: MerchantId, id: string): Promise<boolean> {
  const rows = await sql`
    UPDATE payment.account SET status = 'DISABLED' WHERE merchant_id = ${merchantId} AND id = ${id} RETURNING id`
  return rows.length > 0
}

const resealBatch = 500

/** Seals again what an earlier key has sealed, so that the earlier key can be taken away. Returns how many accounts that were. */
export const resealAccounts = ({
  database,
  secretBox,
}: Pick<AccountsOptions, 'database' | 'secretBox'>): Promise<number> =>
  inBatches(resealBatch, () =>
    database.begin(async (sql) => {
      const rows = await sql<StoredAccount[]>`
        ${selectAccounts(sql)}
        WHERE split_part(s.credentials, '.', 1) <> ${secretBox.keyId}
        LIMIT ${resealBatch} FOR UPDATE OF s SKIP LOCKED`
      for (const row of rows) {
        const sealed = sealedCredentials(secretBox, row, credentialsOf(secretBox, row))
        await sql`
          UPDATE payment.account_secret SET credentials = ${sealed}
          WHERE merchant_id = ${row.merchantId} AND account_id = ${row.id}`
      }
      return rows.length
    }),
  )
