import { randomBytes } from 'node:crypto'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { announce } from '../messaging/outbox/index.ts'
import * as merchant from '../sql/generated/merchant.ts'
import { checkSender, createDnsLookup, type DnsLookup, type SenderCheck } from './sender-check.ts'
import { neededRecords, type SenderSettings } from './sender-records.ts'

/** The deployment's check of merchants' own senders. */
export interface Senders {
  readonly lookup: DnsLookup
  readonly settings: SenderSettings
}

/** @param dnsServers addresses like `192.0.2.53` or `127.0.0.1:5353`; those of the machine when absent */
export const openSenders = ({
  dnsServers,
  dkim = null,
  spfInclude = null,
}: Partial<SenderSettings> & { readonly dnsServers?: readonly string[] | undefined } = {}): Senders => ({
  lookup: createDnsLookup(dnsServers),
  settings: { dkim, spfInclude },
})

const tokenBytes = 20

/** Sets the address that the merchant's mail is to come from. A new domain begins unconfirmed, with a token of its own. */
export async function setSender(
  sql: Queryable,
  merchantId: MerchantId,
  { address, domain }: { readonly address: string; readonly domain: string },
  settings: SenderSettings,
): Promise<void> {
  const token = randomBytes(tokenBytes).toString('hex')
  const records = neededRecords({ domain, token }, settings)
  await merchant.setSender(sql, { merchantId, address, domain, token, records })
}

export const removeSender = (sql: Queryable, merchantId: MerchantId): Promise<void> =>
  merchant.removeSender(sql, { merchantId })

export interface ClaimedSender {
  readonly merchantId: MerchantId
  readonly domain: string
  readonly token: string
}

/** Null: the merchant has no sender of its own. */
export async function findSender(database: Database, merchantId: MerchantId): Promise<ClaimedSender | null> {
  const [row] = await database<Omit<ClaimedSender, 'merchantId'>[]>`
    SELECT domain, token FROM merchant.sender WHERE merchant_id = ${merchantId}`
  return row === undefined ? null : { merchantId, ...row }
}

/** Records what a check saw, and tells the merchant of a domain that it lost. @param sql a transaction */
export async function recordCheck(
  sql: Queryable,
  { merchantId, domain, token }: ClaimedSender,
  { records, answered, problem }: SenderCheck,
): Promise<void> {
  const outcome = await merchant.recordSenderCheck(sql, { merchantId, token, records, answered, problem })
  if (outcome.outcome !== 'lost') return
  const { message, lostAt } = outcome
  await announce(sql, { merchantId, kind: 'SENDER_LOST', subjectKey: `${domain} ${lostAt}`, message })
}

const atOnce = 10
const atMost = 500

/** Checks the domains that are due. Can run at any time, twice at once, and be killed at any point. Returns how many it checked. */
export const checkSenders = (database: Database, { lookup, settings }: Senders): Promise<number> =>
  inBatches(
    atOnce,
    async () => {
      const claimed = await merchant.claimSenderChecks(database, { limit: atOnce })
      await Promise.all(
        claimed.map(async (sender) => {
          const check = await checkSender(lookup, sender, settings)
          await forMerchant(database, sender.merchantId).begin((sql) => recordCheck(sql, sender, check))
        }),
      )
      return claimed.length
    },
    atMost,
  )
