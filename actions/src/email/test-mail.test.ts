import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '../action/session.ts'
import { defaultRetryPolicy, deliverEmails } from '../messaging/outbox/index.ts'
import { createSmtpTransport, type MailTransport } from '../messaging/transports/index.ts'
import { type MailCatcher, startMailCatcher } from '../testing/mail-catcher.ts'
import { dataOf, found, openTestShop, staff, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { advanceCampaigns } from './index.ts'

const address = 'mara@shop.example'
const content = { subject: 'Snow', html: '<p>Hello {{customer.name}}</p>', text: 'Hello {{customer.name}}' }

let shop: TestShop
let merchant: TestMerchant
let userId: string
let catcher: MailCatcher
let mailer: MailTransport
beforeAll(async () => {
  shop = await openTestShop()
  catcher = await startMailCatcher()
  mailer = createSmtpTransport(catcher.url)
})
afterAll(async () => {
  mailer.close()
  await catcher.close()
  await shop.close()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
  const [user] = await shop.database<{ id: string }[]>`
    INSERT INTO identity.user (merchant_id, email, name, status, email_verified)
    VALUES (${merchant.merchantId}, ${address}, 'Mara', 'ACTIVE', true) RETURNING id`
  userId = found(user).id
})

const session = (): Session => ({ ...staff(merchant), role: 'merchant', userId })
const send = (input: object) => shop.call(merchant, 'sendTestEmail', { input }, { session: session() })

/** Returns the mails that left. */
async function deliver() {
  const start = catcher.mails.length
  await deliverEmails(shop.database, {
    mailer,
    senderAddress: 'shop@platform.example',
    unsubscribeUrl: 'https://platform.example/unsubscribe',
    secretBox: shop.secretBox,
    retryPolicy: defaultRetryPolicy,
  })
  return catcher.mails.slice(start)
}

async function createCampaign(): Promise<string> {
  const input = { name: 'Snow', ...content }
  return String(dataOf(await shop.call(merchant, 'createEmailCampaign', { input })).emailCampaignId)
}

describe('a test of an e-mail', () => {
  test('goes to the user’s own address, in the saved words or the given ones, with sample data', async () => {
    dataOf(await send({ kind: 'ORDER_SHIPPED' }))
    dataOf(await send({ kind: 'ORDER_SHIPPED', subject: 'Gone: {{order.number}}' }))
    const mails = await deliver()
    expect(mails.map(({ to, subject }) => [...to, subject]).toSorted()).toEqual([
      [address, '[Test] Gone: ORD-00001001'],
      [address, '[Test] Your order ORD-00001001 is on its way'],
    ])
    const { emailTemplateId } = dataOf(
      await shop.call(merchant, 'createEmailTemplate', {
        input: { kind: 'ORDER_SHIPPED', subject: 'Off', html: '<p>Off</p>', text: 'Off' },
      }),
    )
    expect(emailTemplateId).toBeDefined()
    dataOf(await send({ kind: 'ORDER_SHIPPED' }))
    expect((await deliver()).map(({ subject }) => subject)).toEqual(['[Test] Off'])
  })

  test('with a token has a sample of one, and is sent although there is no such token', async () => {
    dataOf(await send({ kind: 'CUSTOMER_PASSWORD_RESET' }))
    const [mail] = await deliver()
    expect(mail?.subject).toMatch(/^\[Test\] /)
    expect(mail?.source).toContain('token=')
  })

  test('of a campaign unsubscribes no customer, and isn’t counted as one of its messages', async () => {
    const { merchantId } = merchant
    await shop.database`UPDATE crm.customer SET marketing_opt_in = true, email = ${address} WHERE merchant_id = ${merchantId}`
    const campaignId = await createCampaign()
    const { emailDeliveryId: id } = dataOf(await send({ kind: 'CAMPAIGN', campaignId }))
    const [mail] = await deliver()
    expect(mail).toMatchObject({ to: [address], subject: '[Test] Snow' })
    expect(mail?.source).toContain('Hello Ada Lovelace')
    expect(mail?.source).toContain('https://shop.example.com/unsubscribe')
    expect(mail?.source).not.toContain('platform.example/unsubscribe')
    expect(mail?.source).not.toMatch(/^List-Unsubscribe/im)
    expect(
      await shop.database`
        SELECT status, is_test, campaign_id, customer_id FROM email.delivery WHERE id = ${String(id)}`,
    ).toEqual([{ status: 'SENT', is_test: true, campaign_id: null, customer_id: null }])
    expect(
      await shop.database`SELECT token FROM email.unsubscribe_token WHERE delivery_id = ${String(id)}`,
    ).toEqual([])
    // The same address gets the campaign itself.
    dataOf(await shop.call(merchant, 'scheduleEmailCampaign', { id: campaignId }))
    await advanceCampaigns(shop.database)
    expect((await deliver()).map(({ subject }) => subject)).toEqual(['Snow'])
  })

  test('of a campaign that isn’t saved has the given words, and names those that are missing', async () => {
    dataOf(await send({ kind: 'CAMPAIGN', ...content, subject: 'Not saved' }))
    expect((await deliver()).map(({ subject }) => subject)).toEqual(['[Test] Not saved'])
    expect(await send({ kind: 'CAMPAIGN', subject: 'Alone' })).toMatchObject({
      errors: [
        { field: 'html', code: 'REQUIRED_FIELD' },
        { field: 'text', code: 'REQUIRED_FIELD' },
      ],
    })
    const campaignId = await createCampaign()
    dataOf(await send({ kind: 'CAMPAIGN', campaignId, subject: 'Changed' }))
    expect((await deliver()).map(({ subject }) => subject)).toEqual(['[Test] Changed'])
  })

  test('is refused with words that couldn’t be sent, and with a campaign of another kind of message', async () => {
    expect(await send({ kind: 'ORDER_SHIPPED', html: '{{nothing}}' })).toMatchObject({
      errors: [{ field: 'html', code: 'INVALID_VALUE' }],
    })
    expect(await send({ kind: 'ORDER_SHIPPED', campaignId: await createCampaign() })).toMatchObject({
      errors: [{ field: 'campaignId', code: 'INVALID_VALUE' }],
    })
    expect(await send({ kind: 'CAMPAIGN', campaignId: crypto.randomUUID() })).toMatchObject({
      errors: [{ field: 'campaignId', code: 'NOT_FOUND' }],
    })
    expect(await deliver()).toEqual([])
  })

  test('is refused to an API key, and to a user whose address isn’t confirmed', async () => {
    expect(await shop.call(merchant, 'sendTestEmail', { input: { kind: 'ORDER_SHIPPED' } })).toMatchObject({
      kind: 'refused',
      id: 'SVC_AUTH_003',
      details: { reason: 'A test is mailed to the user who asks for it, and an API key is no user' },
    })
    await shop.database`UPDATE identity.user SET email_verified = false WHERE id = ${userId}`
    expect(await send({ kind: 'ORDER_SHIPPED' })).toMatchObject({
      kind: 'invalid',
      errors: [{ field: 'recipient', code: 'INVALID_VALUE' }],
    })
    expect(await deliver()).toEqual([])
  })

  test('leaves 20 times within an hour, however many ask at once, and again after it', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => send({ kind: 'ORDER_SHIPPED' })))
    const refused = answers.filter(({ kind }) => kind === 'refused')
    expect(refused).toHaveLength(4)
    expect(refused[0]).toMatchObject({ status: 429, id: 'SVC_RATE_001' })
    expect(await deliver()).toHaveLength(20)
    await shop.database`
      UPDATE email.delivery SET created_at = now() - interval '50 minutes' WHERE merchant_id = ${merchant.merchantId}`
    const late = await send({ kind: 'ORDER_SHIPPED' })
    const { retryAfter } = late.kind === 'refused' ? late.details : {}
    expect(Number(retryAfter)).toBeGreaterThan(590)
    expect(Number(retryAfter)).toBeLessThanOrEqual(600)
    await shop.database`
      UPDATE email.delivery SET created_at = now() - interval '61 minutes' WHERE merchant_id = ${merchant.merchantId}`
    dataOf(await send({ kind: 'ORDER_SHIPPED' }))
  })

  test('that failed is sent again in the same words, also after the log has forgotten them', async () => {
    const { emailDeliveryId } = dataOf(await send({ kind: 'ORDER_SHIPPED', subject: 'Again' }))
    const id = String(emailDeliveryId)
    catcher.answerWith({ kind: 'refuse', status: 550 })
    expect(await deliver()).toEqual([])
    catcher.answerWith({ kind: 'take' })
    await shop.database`UPDATE email.delivery SET created_at = now() - interval '1 year' WHERE id = ${id}`
    await shop.database`SELECT email.purge_rendered(${merchant.merchantId}, interval '90 days', 10)`
    dataOf(await shop.call(merchant, 'retryEmailDelivery', { id }))
    expect((await deliver()).map(({ subject }) => subject)).toEqual(['[Test] Again'])
  })
})
