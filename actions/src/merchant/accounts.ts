import { type GeneratedApiKey, generateApiKey } from '@commerce-graph/auth-webhook'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { SecretBox } from '@commerce-graph/secret-box'
import { type InputOf, readInput } from '../action/read-input.ts'
import type { Queryable } from '../database.ts'
import { issueMailedToken } from '../identity/index.ts'
import * as merchant from '../sql/generated/merchant.ts'
import { type MerchantEvent, merchantTransitions } from './merchant-machine.ts'

export type NewMerchant = InputOf<'createMerchant', 'null'>['input']

export type OpenedMerchant =
  | {
      readonly outcome: 'opened'
      readonly merchantId: MerchantId
      /** The keys' values, which are kept nowhere. */
      readonly liveKey: string
      readonly testKey: string
    }
  | { readonly outcome: 'unknown_language' }

/** What is wrong with a new merchant by the contract's own rules, or the merchant. */
export const readNewMerchant = (sent: Readonly<Record<string, unknown>>) =>
  readInput('createMerchant', { input: sent }, 'null')

/** Opens an empty shop with a key for each mode, and invites its owner. @param sql a transaction */
export async function openMerchant(
  { sql, secretBox }: { readonly sql: Queryable; readonly secretBox: SecretBox },
  account: NewMerchant,
): Promise<OpenedMerchant> {
  const live = generateApiKey('live')
  const test = generateApiKey('test')
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
  const merchantId = opened.merchantId
  await issueMailedToken(
    { sql, secretBox },
    merchantId,
    { subject: 'USER', id: opened.ownerId },
    'INVITATION',
  )
  return { outcome: 'opened', merchantId, liveKey: live.key, testKey: test.key }
}

const stored = ({ prefix, hash }: GeneratedApiKey) => ({ prefix, hash: hash.toString('hex') })

export type StatusOutcome = merchant.ChangeStatusAnswer

/** @param reason for operators; null: none was given */
export async function changeMerchantStatus(
  sql: Queryable,
  { merchantId, reason }: { readonly merchantId: MerchantId; readonly reason: string | null },
  event: MerchantEvent,
): Promise<StatusOutcome> {
  const { from, to } = merchantTransitions[event]
  return merchant.changeStatus(sql, { merchantId, from, to, reason })
}
