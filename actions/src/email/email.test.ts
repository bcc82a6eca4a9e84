import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, startActions } from '../start-actions.ts'
import type { Queryable } from '../database.ts'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { defaultRetryPolicy, deliverEmails } from '../messaging/outbox/index.ts'
import { createSmtpTransport, type MailTransport } from '../messaging/transports/index.ts'
import { type MailCatcher, startMailCatcher } from '../testing/mail-catcher.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { campaignMachine, type CampaignEvent, type CampaignStatus } from './campaign-machine.ts'
import { advanceCampaigns } from './index.ts'
import * as email from '../sql/generated/email.ts'

let shop: TestShop
let merchant: TestMerchant
let catcher: MailCatcher
let mailer: MailTransport
let service: Actions
beforeAll(async () => {
  shop = await openTestShop()
  catcher = await startMailCatcher()
  mailer = createSmtpTransport(catcher.url)
  const { databaseUrl, secretBox, cardProcessor } = shop
  service = await startActions({
    port: 0,
    databaseUrl,
    secret: 'secret',
    secretBox,
    files: shop.files,
    cardProcessor,
    logger: silent,
  })
})
afterAll(async () => {
  mailer.close()
  await catcher.close()
  await service.stop()
  await shop.close()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
})

const content = {
  subject: 'Spring at {{shop.name}}',
  html: '<p>Hello {{customer.name}}</p>',
  text: 'Hello {{customer.name}}',
}

const deliver = () =>
  deliverEmails(shop.database, {
    mailer,
    senderAddress: 'shop@platform.example',
    unsubscribeUrl: `${service.url}/unsubscribe`,
    secretBox: shop.secretBox,
    retryPolicy: defaultRetryPolicy,
  })

async function customers(count: number, optIn: boolean): Promise<readonly CustomerId[]> {
  const ids: CustomerId[] = []
  for (let n = 0; n < count; n += 1) ids.push(await createCustomer(shop.database, merchant.merchantId))
  await shop.database`UPDATE crm.customer SET marketing_opt_in = ${optIn} WHERE id = ANY (${ids})`
  return ids
}

async function createCampaign(more: object = {}): Promise<string> {
  const input = { name: 'Spring', ...content, ...more }
  return String(dataOf(await shop.call(merchant, 'createEmailCampaign', { input })).emailCampaignId)
}

const schedule = (id: string, scheduledAt: string | null = null) =>
  shop.call(merchant, 'scheduleEmailCampaign', { id, scheduledAt })

async function statusOf(id: string) {
  const [row] = await shop.database<
    { status: CampaignStatus }[]
  >`SELECT status FROM email.campaign WHERE id = ${id}`
  return found(row).status
}

const messagesOf = (id: string) => shop.database<
  { status: string; customer_id: string; unsubscribe_token: string }[]
>`
  SELECT d.status, d.customer_id, t.token AS unsubscribe_token
  FROM email.delivery d LEFT JOIN email.unsubscribe_token t ON t.merchant_id = d.merchant_id AND t.delivery_id = d.id
  WHERE d.campaign_id = ${id} ORDER BY d.created_at, d.id`

const mailsSince = (start: number) => catcher.mails.slice(start)

describe('a campaign', () => {
  test('goes once to each customer of its segment who has opted in, and is SENT when all mails are', async () => {
    const start = catcher.mails.length
    const [tagged, ...others] = await customers(3, true)
    const [silentOne] = await customers(1, false)
    await shop.database`UPDATE crm.customer SET tags = '{vip}' WHERE id IN ${shop.database([found(tagged), found(others[0]), found(silentOne)])}`
    const [segment] = await shop.database<{ id: string }[]>`
      INSERT INTO crm.segment (merchant_id, name, tags) VALUES (${merchant.merchantId}, 'VIP', '{vip}') RETURNING id`
    const id = await createCampaign({ segmentId: found(segment).id })
    dataOf(await schedule(id))
    await Promise.all([advanceCampaigns(shop.database), advanceCampaigns(shop.database)])
    expect((await messagesOf(id)).map(({ customer_id }) => customer_id).sort()).toEqual(
      [tagged, others[0]].sort(),
    )
    expect(await statusOf(id)).toBe('SENDING')
    await Promise.all([deliver(), deliver()])
    await advanceCampaigns(shop.database)
    expect(await statusOf(id)).toBe('SENT')
    expect(mailsSince(start)).toHaveLength(2)
    const [mail] = mailsSince(start)
    expect(mail).toMatchObject({ subject: 'Spring at Test' })
    expect(mail?.source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(mail?.source).toMatch(/^From: .*<shop@platform\.example>/m)
    expect(mail?.source).toContain('Unsubscribe')
  })

  test.each([
    { limit: 1, scan: 1 },
    { limit: 2, scan: 3 },
    { limit: 1, scan: 4 },
    { limit: 2, scan: 8 },
  ])(
    'goes once to each of a few among many customers, when a step looks at $scan of them and writes to $limit',
    async ({ limit, scan }) => {
      await customers(1, false)
      await customers(3, true)
      const tagged = [
        ...(await customers(1, true)),
        ...(await customers(2, true)).slice(1),
        ...(await customers(2, true)).slice(0, 1),
      ]
      await shop.database`UPDATE crm.customer SET tags = '{few}' WHERE id IN ${shop.database(tagged)}`
      const [segment] = await shop.database<{ id: string }[]>`
        INSERT INTO crm.segment (merchant_id, name, tags) VALUES (${merchant.merchantId}, 'Few', '{few}') RETURNING id`
      const id = await createCampaign({ segmentId: found(segment).id })
      dataOf(await schedule(id))
      let steps = 0
      const written: number[] = []
      while (
        steps < 20 &&
        (await email.advanceCampaign(shop.database, { merchantId: merchant.merchantId, limit, scan }))
      ) {
        steps += 1
        written.push((await messagesOf(id)).length)
      }
      expect((await messagesOf(id)).map(({ customer_id }) => customer_id).sort()).toEqual([...tagged].sort())
      expect(written.every((now, step) => now - (written[step - 1] ?? 0) <= limit)).toBe(true)
      expect(steps).toBeGreaterThanOrEqual(Math.max(tagged.length / limit, 9 / scan))
      expect(steps).toBeLessThan(20)
      await deliver()
      await advanceCampaigns(shop.database)
      expect(await statusOf(id)).toBe('SENT')
    },
  )

  test('is sent from the operator’s address; replies go to the merchant’s once a user has verified it', async () => {
    const address = 'security@bank.example'
    const { merchantId } = merchant
    await customers(1, true)
    const sent = async () => {
      const start = catcher.mails.length
      dataOf(await schedule(await createCampaign()))
      await advanceCampaigns(shop.database)
      await deliver()
      return found(mailsSince(start)[0]).source
    }
    await shop.database`UPDATE merchant.merchant SET email = ${address}, name = 'Your Bank' WHERE id = ${merchantId}`
    const claimed = await sent()
    expect(claimed).toMatch(/^From: Your Bank <shop@platform\.example>/m)
    expect(claimed).not.toMatch(/^Reply-To:/m)
    expect(claimed).not.toContain(`<${address}>`)

    await shop.database`
      INSERT INTO identity.user (merchant_id, email, name, status, email_verified)
      VALUES (${merchantId}, ${address}, 'Ada', 'ACTIVE', true)`
    expect(await sent()).toMatch(/^Reply-To: Your Bank <security@bank\.example>/m)

    await shop.database`UPDATE merchant.merchant SET email = 'other@bank.example' WHERE id = ${merchantId}`
    expect(await sent()).not.toMatch(/^Reply-To:/m)
  })

  test('starts at its time, and can be cancelled until its messages have left', async () => {
    await customers(2, true)
    const later = await createCampaign()
    dataOf(await schedule(later, new Date(Date.now() + 3_600_000).toISOString()))
    await advanceCampaigns(shop.database)
    expect([await statusOf(later), await messagesOf(later)]).toMatchObject(['SCHEDULED', []])
    const id = await createCampaign()
    dataOf(await schedule(id))
    await advanceCampaigns(shop.database)
    dataOf(await shop.call(merchant, 'cancelEmailCampaign', { id }))
    const start = catcher.mails.length
    await deliver()
    expect(mailsSince(start)).toEqual([])
    expect((await messagesOf(id)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
  })

  test('is not sent to a customer who opts out before the message leaves; the link in an earlier one opts out', async () => {
    const [first, second] = await customers(2, true)
    const earlier = await createCampaign()
    dataOf(await schedule(earlier))
    await advanceCampaigns(shop.database)
    await deliver()
    const messages = await messagesOf(earlier)
    const token = messages.find(({ customer_id }) => customer_id === first)?.unsubscribe_token
    const id = await createCampaign()
    dataOf(await schedule(id))
    await advanceCampaigns(shop.database)
    const question = await fetch(`${service.url}/unsubscribe/${token}`)
    expect([question.status, (await question.text()).includes('Unsubscribe')]).toEqual([200, true])
    const optIns = () =>
      shop.database`SELECT id FROM crm.customer WHERE merchant_id = ${merchant.merchantId} AND marketing_opt_in`
    // A link scanner that opens the page with GET must not opt the customer out.
    expect(await optIns()).toHaveLength(2)
    expect((await fetch(`${service.url}/unsubscribe/${token}`, { method: 'POST' })).status).toBe(200)
    expect(await optIns()).toEqual([{ id: second }])
    for (const unknown of [crypto.randomUUID(), 'x', "' OR 1=1 --"])
      expect(
        (await fetch(`${service.url}/unsubscribe/${encodeURIComponent(unknown)}`, { method: 'POST' })).status,
      ).toBe(404)
    await deliver()
    await advanceCampaigns(shop.database)
    const sent = await messagesOf(id)
    expect(Object.fromEntries(sent.map(({ customer_id, status }) => [customer_id, status]))).toEqual({
      [found(first)]: 'SUPPRESSED',
      [found(second)]: 'SENT',
    })
    expect(await statusOf(id)).toBe('SENT')
  })

  describe('whose link to unsubscribe was used', () => {
    const address = 'ann@example.com'
    const add = async (more: { hasAccount: boolean; optIn: boolean }, sql: Queryable = shop.database) => {
      const [row] = await sql<{ id: string }[]>`
        INSERT INTO crm.customer (merchant_id, email, name, has_account, marketing_opt_in)
        VALUES (${merchant.merchantId}, ${address}, 'Ann', ${more.hasAccount}, ${more.optIn}) RETURNING id`
      return found(row).id
    }
    const guest = { hasAccount: false, optIn: true }
    const countRecipients = () =>
      email.countRecipients(shop.database, { merchantId: merchant.merchantId, segmentId: null })
    const byMerchant = (work: (sql: Queryable) => Promise<unknown>) =>
      shop.database.begin(async (sql) => {
        await sql`SELECT set_config('hasura.user', '{"x-hasura-role": "merchant"}', true)`
        await work(sql)
      })
    const unsubscribe = async () => {
      const id = await createCampaign()
      dataOf(await schedule(id))
      await advanceCampaigns(shop.database)
      await deliver()
      const [message, ...others] = await messagesOf(id)
      expect([found(message).status, others]).toEqual(['SENT', []])
      const { status } = await fetch(`${service.url}/unsubscribe/${found(message).unsubscribe_token}`, {
        method: 'POST',
      })
      expect(status).toBe(200)
    }

    test('goes to none of the customers with the address, nor to a guest who opts it in later', async () => {
      await add(guest)
      await add(guest)
      expect(await countRecipients()).toBe(1)
      await unsubscribe()
      const optIns = await shop.database`
        SELECT FROM crm.customer WHERE merchant_id = ${merchant.merchantId} AND marketing_opt_in`
      expect(optIns).toHaveLength(0)
      await add(guest)
      const later = await add({ ...guest, optIn: false })
      await shop.database`UPDATE crm.customer SET marketing_opt_in = TRUE WHERE id = ${later}`
      expect(await countRecipients()).toBe(0)
      const id = await createCampaign()
      dataOf(await schedule(id))
      await advanceCampaigns(shop.database)
      await deliver()
      expect(await messagesOf(id)).toEqual([])
    })

    test('goes to the address again once the merchant opts it in', async () => {
      const id = await add(guest)
      await unsubscribe()
      await byMerchant((sql) => sql`UPDATE crm.customer SET marketing_opt_in = TRUE WHERE id = ${id}`)
      expect(await countRecipients()).toBe(1)
    })

    test('goes to the address again once its owner opts in, with an account that is confirmed', async () => {
      await add(guest)
      await unsubscribe()
      const id = await add({ hasAccount: true, optIn: true })
      expect(await countRecipients()).toBe(0)
      await shop.database`UPDATE crm.customer SET email_verified = TRUE WHERE id = ${id}`
      expect(await countRecipients()).toBe(1)
    })

    test('is not sent when its message still waits, whichever customer it was written for', async () => {
      const first = await add(guest)
      const waiting = await createCampaign()
      dataOf(await schedule(waiting))
      await advanceCampaigns(shop.database)
      await shop.database`
        INSERT INTO email.unsubscribed_address (merchant_id, email) VALUES (${merchant.merchantId}, ${address})`
      await deliver()
      expect(await messagesOf(waiting)).toMatchObject([{ status: 'SUPPRESSED', customer_id: first }])
    })
  })

  test('goes to no guest of an address whose account has not opted in', async () => {
    const ids = await customers(2, true)
    await shop.database`UPDATE crm.customer SET email = 'ann@example.com', has_account = false WHERE id = ${found(ids[0])}`
    await shop.database`
      UPDATE crm.customer SET email = 'Ann@example.com', marketing_opt_in = false WHERE id = ${found(ids[1])}`
    expect(
      await email.countRecipients(shop.database, { merchantId: merchant.merchantId, segmentId: null }),
    ).toBe(0)
  })

  test('accepts in each state exactly the events that the machine allows', async () => {
    const call = (event: CampaignEvent, id: string) => {
      switch (event) {
        case 'edit':
          return shop.call(merchant, 'updateEmailCampaign', { id, input: { name: 'Summer' } })
        case 'schedule':
          return schedule(id, new Date(Date.now() + 3_600_000).toISOString())
        case 'cancel':
          return shop.call(merchant, 'cancelEmailCampaign', { id })
        case 'pause':
          return shop.call(merchant, 'pauseEmailCampaign', { id })
        case 'resume':
          return shop.call(merchant, 'resumeEmailCampaign', { id })
        case 'begin':
        case 'finish':
          return null
        default:
          return event satisfies never
      }
    }
    for (const [status, events] of Object.entries(campaignMachine)) {
      for (const [event, next] of Object.entries(events)) {
        const id = await createCampaign()
        await shop.database`
          UPDATE email.campaign SET status = ${status}, scheduled_at = now() + interval '1 hour', addressed = true WHERE id = ${id}`
        const answered = call(event as CampaignEvent, id)
        if (answered === null) continue
        const answer = await answered
        expect([status, event, answer.kind]).toEqual([status, event, next === 'refused' ? 'invalid' : 'done'])
        expect([status, event, await statusOf(id)]).toEqual([
          status,
          event,
          next === 'refused' ? status : next,
        ])
      }
    }
  })

  test('is previewed as it is sent: with the link to unsubscribe, and with as many recipients as get it', async () => {
    const [tagged, blocked, bounced, ...others] = await customers(5, true)
    const [silentOne] = await customers(1, false)
    const { merchantId } = merchant
    await shop.database`UPDATE crm.customer SET blocked_at = now(), blocked_reason = 'x' WHERE id = ${found(blocked)}`
    await shop.database`
      UPDATE crm.customer SET tags = '{vip}' WHERE id IN ${shop.database([tagged, blocked, bounced, silentOne].map((each) => found(each)))}`
    await shop.database`
      INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, status, facts)
      SELECT ${merchantId}, 'ORDER_CONFIRMATION', 'x', email, 'BOUNCED', '{}' FROM crm.customer WHERE id = ${found(bounced)}`
    const [segment] = await shop.database<{ id: string }[]>`
      INSERT INTO crm.segment (merchant_id, name, tags) VALUES (${merchantId}, 'VIP', '{vip}') RETURNING id`
    const preview = (segmentId: string | null) =>
      shop.call(merchant, 'previewEmailCampaign', { input: { ...content, segmentId } }).then(dataOf)
    expect(await preview(null)).toMatchObject({
      recipients: 1 + others.length,
      rendered: { subject: 'Spring at Test', text: expect.stringContaining('Hello Ada Lovelace') as string },
    })
    const segmentId = found(segment).id
    const { rendered, recipients } = await preview(segmentId)
    const id = await createCampaign({ segmentId })
    dataOf(await schedule(id))
    await advanceCampaigns(shop.database)
    const start = catcher.mails.length
    await deliver()
    expect(mailsSince(start)).toHaveLength(Number(recipients))
    expect(recipients).toBe(1)
    // The link differs, and the name.
    const [sent] = await shop.database<{ html: string }[]>`
      SELECT html FROM email.delivery WHERE campaign_id = ${id} AND status = 'SENT'`
    const plain = (html: string) => html.replace(/href="[^"]*"/, 'href=""').replace(/Hello [^<]*/, 'Hello')
    expect(plain((rendered as { html: string }).html)).toBe(plain(found(sent).html))
    expect(found(sent).html).toContain('Unsubscribe')
  })

  test('is not previewed with words that couldn’t be sent', async () => {
    const input = { ...content, html: '{{nothing}}' }
    expect(await shop.call(merchant, 'previewEmailCampaign', { input })).toMatchObject({
      kind: 'invalid',
      errors: [{ field: 'html', code: 'INVALID_VALUE' }],
    })
  })

  test('reports all its errors at once', async () => {
    const input = { name: '', subject: '{{nothing}}', html: '{{{shop.name}}}', text: '' }
    expect(await shop.call(merchant, 'createEmailCampaign', { input })).toMatchObject({
      kind: 'invalid',
      errors: [
        { field: 'name', code: 'REQUIRED_FIELD' },
        { field: 'text', code: 'REQUIRED_FIELD' },
      ],
    })
    expect(
      await shop.call(merchant, 'createEmailCampaign', { input: { ...input, name: 'x', text: 'x' } }),
    ).toMatchObject({
      errors: [
        { field: 'subject', code: 'INVALID_VALUE' },
        { field: 'html', code: 'INVALID_VALUE' },
      ],
    })
  })
})

describe('a template', () => {
  const input = {
    kind: 'ORDER_SHIPPED',
    subject: 'Gone: {{order.number}}',
    html: '<p>{{shipment.carrier}}</p>',
    text: 'Gone',
  }

  test('is unique for its kind, can be previewed with sample data, and replaces the built-in one', async () => {
    const preview = (more: object = {}) =>
      shop.call(merchant, 'previewEmailTemplate', { input: { kind: 'ORDER_SHIPPED', ...more } }).then(dataOf)
    expect(await preview()).toMatchObject({ rendered: { subject: 'Your order ORD-00001001 is on its way' } })
    expect(await preview({ subject: 'Try {{order.total}}' })).toMatchObject({
      rendered: { subject: 'Try $260.55' },
    })
    const { emailTemplateId: id } = dataOf(await shop.call(merchant, 'createEmailTemplate', { input }))
    expect(await preview()).toMatchObject({ rendered: { subject: 'Gone: ORD-00001001', html: '<p>UPS</p>' } })
    expect(await shop.call(merchant, 'createEmailTemplate', { input })).toMatchObject({
      errors: [{ field: 'kind', code: 'ALREADY_EXISTS' }],
    })
    expect(
      await shop.call(merchant, 'updateEmailTemplate', { id, input: { html: '{{refund.amount}}' } }),
    ).toMatchObject({
      errors: [{ field: 'html', code: 'INVALID_VALUE' }],
    })
    dataOf(await shop.call(merchant, 'updateEmailTemplate', { id, input: { subject: 'Off' } }))
    expect(await preview()).toMatchObject({ rendered: { subject: 'Off', text: 'Gone' } })
  })
})
