import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Queryable } from '../database.ts'
import { deliverEmails } from '../messaging/outbox/index.ts'
import type { Mail, MailTransport, SendOutcome } from '../messaging/transports/index.ts'
import * as email from '../sql/generated/email.ts'
import { overlap } from '../testing/overlap.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import type { CampaignStatus } from './campaign-machine.ts'
import { advanceCampaigns } from './index.ts'

const batch = 20

let shop: TestShop
let merchant: TestMerchant
/** The addresses of the mails that the server took, in their order. */
let taken: string[]
let answer: (mail: Mail) => Promise<SendOutcome>
const mailer: MailTransport = {
  name: 'test',
  async send(mail) {
    const outcome = await answer(mail)
    if (outcome.outcome === 'accepted') taken.push(mail.to.address)
    return outcome
  },
  close: () => undefined,
}
const accepted: SendOutcome = { outcome: 'accepted', messageId: null }

beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  taken = []
  answer = () => Promise.resolve(accepted)
})

const deliver = () =>
  deliverEmails(shop.database, {
    mailer,
    senderAddress: 'shop@platform.example',
    unsubscribeUrl: 'https://shop.example/unsubscribe',
    secretBox: shop.secretBox,
    // A message that the server puts off is due again at once.
    retryPolicy: { maxAttempts: 6, retryDelay: 0 },
  })

/** To so many customers, and to the one that each shop has. */
async function begunCampaign(customers: number): Promise<string> {
  for (let n = 0; n < customers; n += 1) await createCustomer(shop.database, merchant.merchantId)
  await shop.database`UPDATE crm.customer SET marketing_opt_in = true WHERE merchant_id = ${merchant.merchantId}`
  const input = { name: 'Spring', subject: 'Spring', html: '<p>Hello</p>', text: 'Hello' }
  const id = String(dataOf(await shop.call(merchant, 'createEmailCampaign', { input })).emailCampaignId)
  dataOf(await shop.call(merchant, 'scheduleEmailCampaign', { id }))
  return id
}

const pause = (id: string) => shop.call(merchant, 'pauseEmailCampaign', { id })
const resume = (id: string) => shop.call(merchant, 'resumeEmailCampaign', { id })

async function statusOf(id: string): Promise<CampaignStatus> {
  const rows = await shop.database<
    { status: CampaignStatus }[]
  >`SELECT status FROM email.campaign WHERE id = ${id}`
  return found(rows[0]).status
}

async function countByStatus(id: string): Promise<Record<string, number>> {
  const rows = await shop.database<{ status: string; count: number }[]>`
    SELECT status, count(*)::integer AS count FROM email.delivery WHERE campaign_id = ${id} GROUP BY status`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Its customers, each of whom has got it once. */
async function everyoneOnce(): Promise<void> {
  const rows = await shop.database<{ email: string }[]>`
    SELECT email FROM crm.customer WHERE merchant_id = ${merchant.merchantId} AND marketing_opt_in`
  expect(taken.toSorted()).toEqual(rows.map((row) => row.email).toSorted())
}

async function finish(id: string): Promise<void> {
  dataOf(await resume(id))
  expect(await statusOf(id)).toBe('SENDING')
  await advanceCampaigns(shop.database)
  await deliver()
  await advanceCampaigns(shop.database)
  expect(await statusOf(id)).toBe('SENT')
  await everyoneOnce()
}

describe('a campaign that is paused', () => {
  test('during a batch sends that batch and no more; resumed, it goes once to each of the others', async () => {
    const id = await begunCampaign(2 * batch + 5)
    await advanceCampaigns(shop.database)
    let paused: Promise<unknown> | undefined
    answer = async () => {
      paused ??= pause(id).then(dataOf)
      await paused
      return accepted
    }
    expect(await deliver()).toBe(batch)
    expect(taken).toHaveLength(batch)
    // The jobs end at once, and find nothing to do.
    expect([await deliver(), await advanceCampaigns(shop.database)]).toEqual([0, 0])
    expect([await statusOf(id), await countByStatus(id)]).toEqual([
      'PAUSED',
      { SENT: batch, QUEUED: batch + 6 },
    ])
    await finish(id)
  })

  test('while its recipients are written goes on with the next one, also after several pauses', async () => {
    const id = await begunCampaign(6)
    const writeTwo = () =>
      email.advanceCampaign(shop.database, { merchantId: merchant.merchantId, limit: 2, scan: 100 })
    for (const written of [2, 4]) {
      await writeTwo()
      dataOf(await pause(id))
      expect([await advanceCampaigns(shop.database), await deliver()]).toEqual([0, 0])
      expect(await countByStatus(id)).toEqual({ QUEUED: written })
      if (written === 2) dataOf(await resume(id))
    }
    await finish(id)
  })

  test('sends no message later that the server puts off, whose sender is killed, or that is sent again', async () => {
    const id = await begunCampaign(3)
    await advanceCampaigns(shop.database)
    const claimed = await email.claim(shop.database, { limit: 3, lease: 15, maxAttempts: 6 })
    const [killed, failed] = claimed.map((each) => each.id)
    dataOf(await pause(id))
    await shop.database`UPDATE email.delivery SET claimed_until = now() - interval '1 second' WHERE id = ${found(killed)}`
    await shop.database`
      UPDATE email.delivery SET status = 'FAILED', claimed_until = NULL WHERE id = ${found(failed)}`
    await shop.database`
      UPDATE email.delivery SET status = 'QUEUED', claimed_until = NULL WHERE campaign_id = ${id} AND claimed_until > now()`
    dataOf(await shop.call(merchant, 'retryEmailDelivery', { id: found(failed) }))
    expect(await deliver()).toBe(0)
    expect(await countByStatus(id)).toEqual({ QUEUED: 4 })
    await finish(id)
  })

  test('holds up no other message of the shop', async () => {
    const id = await begunCampaign(2)
    await advanceCampaigns(shop.database)
    dataOf(await pause(id))
    await shop.database`
      INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, facts)
      VALUES (${merchant.merchantId}, 'STOCK_ALERT', 'x', 'ada@example.com', '{"product": {"title": "Cup", "sku": "CUP"}}')`
    await deliver()
    expect(taken).toEqual(['ada@example.com'])
  })

  test('can be cancelled: its other messages are never sent, and it can’t be resumed', async () => {
    const id = await begunCampaign(2)
    await advanceCampaigns(shop.database)
    dataOf(await pause(id))
    dataOf(await shop.call(merchant, 'cancelEmailCampaign', { id }))
    expect([await deliver(), await countByStatus(id)]).toEqual([0, { CANCELLED: 3 }])
    expect(await resume(id)).toMatchObject({
      kind: 'invalid',
      errors: [{ field: 'id', message: 'This can not be done to a campaign in status CANCELLED' }],
    })
  })

  test('is paused once by two calls at the same time', async () => {
    const id = await begunCampaign(1)
    await advanceCampaigns(shop.database)
    const kinds = (await Promise.all([pause(id), pause(id)])).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['done', 'invalid'])
    expect(await statusOf(id)).toBe('PAUSED')
    await finish(id)
  })
})

describe('a pause at the same time as', () => {
  const change = (sql: Queryable, id: string, from: CampaignStatus, to: CampaignStatus) =>
    email.changeCampaign(sql, { merchantId: merchant.merchantId, campaignId: id, from: [from], to })
  const claim = (sql: Queryable, limit: number) => email.claim(sql, { limit, lease: 15, maxAttempts: 6 })

  test('a claim leaves each message with one of them', async () => {
    const id = await begunCampaign(3)
    await advanceCampaigns(shop.database)
    await overlap<unknown>(
      shop.database,
      (sql) => claim(sql, 2),
      () => pause(id),
    )
    expect([await countByStatus(id), await claim(shop.database, batch)]).toEqual([
      { SENDING: 2, QUEUED: 2 },
      [],
    ])
    dataOf(await resume(id))
    const [, claimed] = await overlap<unknown>(
      shop.database,
      (sql) => change(sql, id, 'SENDING', 'PAUSED'),
      () => claim(shop.database, batch),
    )
    expect([claimed, await claim(shop.database, batch)]).toEqual([[], []])
    dataOf(await resume(id))
    expect(await claim(shop.database, batch)).toHaveLength(2)
  })

  test('the writing of recipients holds what was written', async () => {
    const id = await begunCampaign(3)
    await email.advanceCampaign(shop.database, { merchantId: merchant.merchantId, limit: 1, scan: 100 })
    await overlap<unknown>(
      shop.database,
      (sql) => email.advanceCampaign(sql, { merchantId: merchant.merchantId, limit: 2, scan: 100 }),
      () => pause(id),
    )
    expect([await countByStatus(id), await deliver()]).toEqual([{ QUEUED: 3 }, 0])
    await finish(id)
  })
})
