import { type GeneratedApiKey, generateApiKey } from '@commerce-graph/auth-webhook/api-key'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { FileStorage } from '@commerce-graph/file-storage'
import type { SecretBox } from '@commerce-graph/secret-box'
import { type InputOf, readInput } from '../action/read-input.ts'
import type { Database, Queryable } from '../database.ts'
import { eachApart } from '../each-apart.ts'
import { inBatches } from '../in-batches.ts'
import { issueMailedToken } from '../identity/index.ts'
import * as merchant from '../sql/generated/merchant.ts'
import * as platform from '../sql/generated/platform.ts'
import { createPublishableKey } from './api-keys.ts'
import { type MerchantEvent, merchantTransitions } from './merchant-machine.ts'

export type { MerchantEvent }

export type NewMerchant = InputOf<'createMerchant', 'null'>['input']

export type OpenedMerchant =
  | {
      readonly outcome: 'opened'
      readonly merchantId: MerchantId
      /** The keys' values, which are kept nowhere. */
      readonly liveKey: string
      readonly testKey: string
      /** No secret: the merchant's apiKeys show it. */
      readonly publishableKey: string
      readonly ownerId: string
    }
  | { readonly outcome: 'unknown_language' }

/** Parses a new merchant by the contract's rules, or returns the faults. */
export const readNewMerchant = (sent: Readonly<Record<string, unknown>>) =>
  readInput('createMerchant', { input: sent }, 'null')

/** Opens an empty shop with a key for each mode, and mails its owner an invitation. @param sql a transaction */
export async function openMerchant(
  { sql, secretBox }: { readonly sql: Queryable; readonly secretBox: SecretBox },
  account: NewMerchant,
): Promise<OpenedMerchant> {
  const opened = await openShop(sql, account)
  if (opened.outcome === 'opened') {
    const owner = { subject: 'USER', id: opened.ownerId } as const
    await issueMailedToken({ sql, secretBox }, opened.merchantId, owner, 'INVITATION')
  }
  return opened
}

/** The same, without a mail. @param sql a transaction */
export async function openShop(sql: Queryable, account: NewMerchant): Promise<OpenedMerchant> {
  const place = await platform.place(sql)
  const live = generateApiKey('live', place)
  const test = generateApiKey('test', place)
  const opened = await merchant.openMerchant(sql, {
    name: account.name,
    email: account.email,
    country: account.country,
    currency: account.currency,
    timezone: account.timezone,
    language: account.language,
    keys: [
      { mode: 'live', name: 'First live key', ...stored(live) },
      { mode: 'test', name: 'First test key', ...stored(test) },
    ],
  })
  if (opened.outcome === 'unknown_language') return opened
  const { merchantId, ownerId } = opened
  const pages = { name: 'First publishable key', origins: account.origins ?? [] }
  const { key: publishableKey } = await createPublishableKey(sql, merchantId, pages)
  return { outcome: 'opened', merchantId, liveKey: live.key, testKey: test.key, publishableKey, ownerId }
}

const stored = ({ prefix, hash }: GeneratedApiKey) => ({ prefix, hash: hash.toString('hex') })

export type StatusOutcome = merchant.ChangeStatusAnswer
export type ClosingOutcome = merchant.CloseMerchantAnswer

/** @param reason for operators; null: none was given */
export async function changeMerchantStatus(
  sql: Queryable,
  { merchantId, reason }: { readonly merchantId: MerchantId; readonly reason: string | null },
  event: Exclude<MerchantEvent, 'close'>,
): Promise<StatusOutcome> {
  const { from, to } = merchantTransitions[event]
  return merchant.changeStatus(sql, { merchantId, from, to, reason })
}

/** Days after which the rows of a closed merchant are deleted, unless the operator says otherwise. */
export const defaultDeletionDelay = 30

/**
 * Shuts a merchant out like a suspended one, and has its rows deleted after the delay.
 *
 * @param reason for operators; null: none was given
 * @param deleteAfterDays until then it can be reinstated
 */
export async function closeMerchant(
  sql: Queryable,
  {
    merchantId,
    reason,
    deleteAfterDays,
  }: { readonly merchantId: MerchantId; readonly reason: string | null; readonly deleteAfterDays: number },
): Promise<ClosingOutcome> {
  const { from } = merchantTransitions.close
  return merchant.closeMerchant(sql, { merchantId, from, reason, delay: deleteAfterDays })
}

/** Writes down that the merchant has got all of its data. False: there is no such merchant. */
export const confirmMerchantExport = (sql: Queryable, merchantId: MerchantId): Promise<boolean> =>
  merchant.confirmExport(sql, { merchantId })

const deletedAtOnce = 1_000
const merchantsAtOnce = 100

/**
 * Deletes the rows of merchants whose delay is over, in transactions of about 1,000 rows. It can be interrupted, and
 * goes on with the next call. Their files go first, because the rows say that there is a merchant to delete. Returns
 * how many rows went.
 */
export async function deleteClosedMerchants(database: Database, files: FileStorage): Promise<number> {
  const due = await merchant.dueForDeletion(database, { limit: merchantsAtOnce })
  return eachApart(due, async ({ merchantId }) => {
    await files.deleteFolder(merchantId)
    return inBatches(1, async () => {
      const round = await merchant.deleteRows(database, { merchantId, limit: deletedAtOnce })
      return round.outcome === 'more' ? round.rows : 0
    })
  })
}
