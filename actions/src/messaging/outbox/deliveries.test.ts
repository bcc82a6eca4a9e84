import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, found, openTestShop, type TestMerchant, type TestShop } from '../../testing/test-shop.ts'
import type { SendOutcome } from '../transports/index.ts'
import { deliverEmails } from './deliver-emails.ts'
import { deliveryMachine, type DeliveryEvent, type DeliveryStatus } from './delivery-machine.ts'
import { keepingClaims } from './keep-claims.ts'
import { defaultRetryPolicy, settle } from './settle.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const { maxAttempts } = defaultRetryPolicy
let subjects = 0

/** A campaign's message in the given state, due if it is queued; the only one in the log. */
async function deliveryIn(status: DeliveryStatus, attempts = 1): Promise<string> {
  subjects += 1
  await shop.database`DELETE FROM email.delivery WHERE merchant_id = ${merchant.merchantId}`
  await shop.database`UPDATE crm.customer SET marketing_opt_in = true WHERE id = ${merchant.customerId}`
  const [row] = await shop.database<{ id: string }[]>`
    WITH campaign AS (
      INSERT INTO email.campaign (merchant_id, name, subject, html, text, status)
      VALUES (${merchant.merchantId}, 'Spring', 'a', 'b', 'c', 'SENDING') RETURNING merchant_id, id
    )
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, customer_id, campaign_id, status, attempts, claimed_until, facts)
    SELECT merchant_id, 'CAMPAIGN', ${String(subjects)}, 'a@example.com', ${merchant.customerId}, id, ${status}, ${attempts},
      ${status === 'SENDING' ? new Date(Date.now() + 60_000) : null}, '{}'
    FROM campaign RETURNING id`
  return found(row).id
}

const claim = () => shop.database<{ id: string; attempt: number }[]>`
  SELECT * FROM email.claim(10, interval '1 minute', ${maxAttempts})`

/** Applies an event to the delivery with the production code. */
async function apply(event: DeliveryEvent, id: string): Promise<void> {
  const settled = (result: SendOutcome) =>
    settle(
      shop.database,
      {
        table: 'email.delivery',
        claim: { merchantId: merchant.merchantId, id, attempt: 1 },
        retryPolicy: defaultRetryPolicy,
      },
      result,
      {},
    )
  switch (event) {
    case 'claim':
      await claim()
      return
    case 'suppress':
      await shop.database`UPDATE crm.customer SET marketing_opt_in = false WHERE id = ${merchant.customerId}`
      await claim()
      return
    case 'cancel':
      await shop.database`UPDATE email.campaign SET status = 'CANCELLED'`
      await claim()
      return
    case 'accept':
      return settled({ outcome: 'accepted', messageId: null })
    case 'discard':
      return settled({ outcome: 'discarded', reason: 'no transport' })
    case 'defer':
      return settled({ outcome: 'unavailable', reason: 'later' })
    case 'give_up':
      return settled({ outcome: 'refused', reason: 'never' })
    case 'bounce':
      return settled({ outcome: 'bounced', reason: 'no such address' })
    case 'retry':
      await shop.call(merchant, 'retryEmailDelivery', { id })
      return
    default:
      event satisfies never
  }
}

async function statusOf(id: string) {
  const [row] = await shop.database<
    { status: DeliveryStatus }[]
  >`SELECT status FROM email.delivery WHERE id = ${id}`
  return found(row).status
}

test('every event in every state follows the machine', async () => {
  for (const [status, events] of Object.entries(deliveryMachine)) {
    for (const [event, next] of Object.entries(events)) {
      const id = await deliveryIn(status as DeliveryStatus)
      await apply(event as DeliveryEvent, id)
      expect([status, event, await statusOf(id)]).toEqual([status, event, next === 'refused' ? status : next])
    }
  }
}, 60_000)

describe('a claim', () => {
  test('goes to one sender of many concurrent ones', async () => {
    await deliveryIn('QUEUED')
    const claims = await Promise.all(Array.from({ length: 8 }, claim))
    expect(claims.flat()).toHaveLength(1)
  })

  test('that expires goes to another sender, and the first one’s result is ignored', async () => {
    const id = await deliveryIn('SENDING')
    await shop.database`UPDATE email.delivery SET claimed_until = now() - interval '1 second' WHERE id = ${id}`
    expect(await claim()).toMatchObject([{ id, attempt: 2 }])
    await apply('accept', id)
    expect(await statusOf(id)).toBe('SENDING')
  })

  test('is kept while its sender is alive, however long sending takes', async () => {
    const id = await deliveryIn('SENDING')
    const seconds = async () => {
      const [row] = await shop.database<{ seconds: number }[]>`
        SELECT extract(epoch FROM claimed_until - now())::float8 AS seconds FROM email.delivery WHERE id = ${id}`
      return found(row).seconds
    }
    await shop.database`UPDATE email.delivery SET claimed_until = now() + interval '8 seconds' WHERE id = ${id}`
    const claims = [{ merchantId: merchant.merchantId, id, attempt: 1 }]
    await keepingClaims(shop.database, 'email.delivery', claims, async () => {
      await expect.poll(seconds, { timeout: 8_000 }).toBeGreaterThan(10)
    })
  })

  test('that expires at the last attempt leaves a dead letter', async () => {
    const id = await deliveryIn('SENDING', maxAttempts)
    await shop.database`UPDATE email.delivery SET claimed_until = now() - interval '1 second' WHERE id = ${id}`
    expect(await claim()).toEqual([])
    expect(await statusOf(id)).toBe('FAILED')
    dataOf(await shop.call(merchant, 'retryEmailDelivery', { id }))
    expect(await claim()).toMatchObject([{ id, attempt: 1 }])
  })
})

test('a mail that can’t be composed says why and is tried again, and the others of its batch are sent', async () => {
  const { merchantId } = merchant
  const whole = await deliveryIn('QUEUED')
  const [broken] = await shop.database<{ id: string }[]>`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, facts)
    VALUES (${merchantId}, 'ORDER_SHIPPED', 'broken', 'b@example.com', '{}') RETURNING id`
  const sent: string[] = []
  await deliverEmails(shop.database, {
    mailer: {
      name: 'test',
      send: ({ to }) => {
        sent.push(to.address)
        return Promise.resolve({ outcome: 'accepted', messageId: null })
      },
      close: () => undefined,
    },
    senderAddress: 'shop@platform.example',
    unsubscribeUrl: 'http://localhost/unsubscribe',
    secretBox: shop.secretBox,
    retryPolicy: defaultRetryPolicy,
  })
  expect(sent).toEqual(['a@example.com'])
  expect(await statusOf(whole)).toBe('SENT')
  const rows = await shop.database`
    SELECT status, reason, attempts FROM email.delivery WHERE id = ${found(broken).id}`
  expect(rows).toEqual([
    {
      status: 'QUEUED',
      reason: expect.stringMatching(/^The mail could not be composed: /) as string,
      attempts: 1,
    },
  ])
})
