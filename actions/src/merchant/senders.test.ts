import { generateKeyPairSync } from 'node:crypto'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import { deliverEmails, defaultRetryPolicy } from '../messaging/outbox/index.ts'
import { createSmtpTransport, type MailTransport } from '../messaging/transports/index.ts'
import { actionsByDomain } from '../start-actions.ts'
import { type DnsServer, startDnsServer } from '../testing/dns-server.ts'
import { type MailCatcher, startMailCatcher } from '../testing/mail-catcher.ts'
import { dataOf, found, openTestShop, staff, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { checkSenders, openSenders, type Senders } from './senders.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const dkim = { selector: 'mail2026', privateKey }
const address = 'hello@mill.example'
const ownershipName = '_commerce-graph.mill.example'
const dkimName = 'mail2026._domainkey.mill.example'

let shop: TestShop
let dns: DnsServer
let senders: Senders
let mails: MailCatcher
let mailer: MailTransport
let tokenIssuer: ReturnType<typeof createTokenIssuer>
let actions: ReturnType<typeof actionsByDomain>
let merchant: TestMerchant

beforeAll(async () => {
  shop = await openTestShop()
  dns = await startDnsServer()
  senders = openSenders({ dnsServers: [dns.address], dkim, spfInclude: '_spf.platform.example' })
  mails = await startMailCatcher()
  mailer = createSmtpTransport(mails.url, dkim)
  const { databaseUrl, database, secretBox } = shop
  tokenIssuer = createTokenIssuer({ databaseUrl, secretBox })
  actions = actionsByDomain(
    { cardProcessor: null, senders, files: shop.files },
    { database, tokenIssuer, secretBox },
  )
})
afterAll(async () => {
  mailer.close()
  await mails.close()
  await dns.stop()
  await tokenIssuer.close()
  await shop.close()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
})
afterEach(async () => {
  dns.records.clear()
  // No later test checks this one's sender.
  await shop.database`DELETE FROM merchant.sender`
})

function call(name: string, input: object, whose = merchant): Promise<Answer> {
  const action = found(actions['merchant']?.[name])
  return action.run({ action: name, session: staff(whose), input, idempotencyKey: null, origin: null })
}

interface RecordRow {
  readonly purpose: string
  readonly name: string
  readonly value: string
  readonly found: boolean | null
}

const recordsOf = ({ merchantId } = merchant): Promise<RecordRow[]> => shop.database<RecordRow[]>`
  SELECT purpose, name, value, found FROM merchant.sender_record WHERE merchant_id = ${merchantId} ORDER BY purpose`

async function stateOf({ merchantId } = merchant) {
  const [row] = await shop.database<{ status: string; problem: string | null }[]>`
    SELECT status, problem FROM merchant.sender WHERE merchant_id = ${merchantId}`
  return row
}

/** Puts the records of a merchant's sender into DNS, cut as DNS cuts texts. */
async function publish(whose = merchant): Promise<void> {
  for (const { name, value } of await recordsOf(whose)) {
    dns.records.set(name, [value.match(/.{1,255}/g) ?? []])
  }
}

const set = async (whose = merchant) => dataOf(await call('setEmailSender', { input: { address } }, whose))
const check = async (whose = merchant) => dataOf(await call('checkEmailSender', {}, whose))

async function confirm(whose = merchant): Promise<void> {
  await set(whose)
  await publish(whose)
  await check(whose)
  expect(await stateOf(whose)).toEqual({ status: 'CONFIRMED', problem: null })
}

/** Makes the checks due, and runs the job. */
async function checkAgain(): Promise<void> {
  await shop.database`UPDATE merchant.sender SET next_check_at = now()`
  await checkSenders(shop.database, senders)
}

let invitations = 0
/** The mail that inviting a user sends, as it went over the wire. */
async function mailSent(whose = merchant): Promise<string> {
  invitations += 1
  const email = `invited${invitations}@example.com`
  dataOf(await shop.call(whose, 'createUser', { input: { email, name: 'Ada', roleIds: [] } }))
  await deliverEmails(shop.database, {
    mailer,
    senderAddress: 'mail@platform.example',
    unsubscribeUrl: 'https://platform.example/unsubscribe',
    secretBox: shop.secretBox,
    retryPolicy: defaultRetryPolicy,
  })
  return found(mails.mails.find(({ to }) => to.includes(email))).source.replaceAll(/\r\n[ \t]+/g, ' ')
}

const notices = ({ merchantId } = merchant) => shop.database<{ title: string }[]>`
  SELECT title FROM notification.notification WHERE merchant_id = ${merchantId} AND kind = 'SENDER_LOST'`

describe('a sender of a merchant’s own', () => {
  test('comes with the DNS records to set, and is used once all of them are there', async () => {
    await set()
    expect(await recordsOf()).toEqual([
      {
        purpose: 'DKIM',
        name: dkimName,
        value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[\w+/=]+$/) as unknown,
        found: null,
      },
      {
        purpose: 'OWNERSHIP',
        name: ownershipName,
        value: expect.stringMatching(/^commerce-graph=[0-9a-f]{40}$/) as unknown,
        found: null,
      },
      {
        purpose: 'SPF',
        name: 'mill.example',
        value: 'v=spf1 include:_spf.platform.example ~all',
        found: null,
      },
    ])
    expect(await mailSent()).toMatch(/^From: Test <mail@platform\.example>/m)
    await publish()
    dns.records.delete(dkimName)
    await check()
    expect(await stateOf()).toEqual({
      status: 'PENDING',
      problem: `DNS does not have the record TXT ${dkimName}, or not with this value`,
    })
    expect((await recordsOf()).map(({ found: seen }) => seen)).toEqual([false, true, true])
    expect(await mailSent()).toMatch(/^From: Test <mail@platform\.example>/m)
    await publish()
    await check()
    const mail = await mailSent()
    expect(mail).toMatch(/^From: Test <hello@mill\.example>/m)
    expect(mail).toMatch(/^DKIM-Signature: .*d=mill\.example;.*s=mail2026;/m)
  })

  test('is confirmed by the job without a request', async () => {
    await set()
    await publish()
    await checkAgain()
    expect(await stateOf()).toMatchObject({ status: 'CONFIRMED' })
  })

  test('needs its own token: another merchant’s records confirm nothing', async () => {
    await confirm()
    const other = await shop.createMerchant()
    await set(other)
    await check(other)
    expect(await stateOf(other)).toEqual({
      status: 'PENDING',
      problem: `DNS does not have the record TXT ${ownershipName}, or not with this value`,
    })
    expect(await mailSent(other)).toMatch(/^From: Test <mail@platform\.example>/m)
  })

  test('accepts an SPF record that names other hosts, too, among other texts', async () => {
    await set()
    await publish()
    dns.records.set('mill.example', [
      ['google-site-verification=1'],
      ['v=spf1 include:other.example ', 'include:_SPF.platform.example -all'],
    ])
    await check()
    expect(await stateOf()).toMatchObject({ status: 'CONFIRMED' })
  })

  test('of the same domain needs no new proof; of another domain it does', async () => {
    await confirm()
    dataOf(await call('setEmailSender', { input: { address: 'shop@MILL.example' } }))
    expect(await mailSent()).toMatch(/^From: Test <shop@mill\.example>/m)
    dataOf(await call('setEmailSender', { input: { address: 'shop@other.example' } }))
    expect(await stateOf()).toMatchObject({ status: 'PENDING' })
    expect(await mailSent()).toMatch(/^From: Test <mail@platform\.example>/m)
  })

  test('can be taken back', async () => {
    await confirm()
    dataOf(await call('setEmailSender', { input: { address: null } }))
    expect(await stateOf()).toBeUndefined()
    expect(await recordsOf()).toEqual([])
    expect(await mailSent()).toMatch(/^From: Test <mail@platform\.example>/m)
    expect(await call('checkEmailSender', {})).toMatchObject({
      errors: [{ field: 'address', code: 'NOT_FOUND' }],
    })
  })

  test.each(['a@localhost', 'a@[192.0.2.1]', `a@${'long-label.'.repeat(20)}example`])(
    'is refused at a domain that can’t have records: %s',
    async (wrong) => {
      expect(await call('setEmailSender', { input: { address: wrong } })).toMatchObject({
        kind: 'invalid',
        errors: [{ field: expect.stringMatching(/address$/) as unknown }],
      })
      expect(await stateOf()).toBeUndefined()
    },
  )
})

describe('a confirmed domain', () => {
  test('that loses a record is not used any more, the merchant is told once, and the record brings it back', async () => {
    await confirm()
    const record = found(dns.records.get(ownershipName))
    dns.records.delete(ownershipName)
    await checkAgain()
    await checkAgain()
    expect(await stateOf()).toMatchObject({ status: 'LOST' })
    expect(await notices()).toEqual([{ title: 'Mails no longer come from hello@mill.example' }])
    expect(await mailSent()).toMatch(/^From: Test <mail@platform\.example>/m)
    dns.records.set(ownershipName, record)
    await checkAgain()
    expect(await stateOf()).toEqual({ status: 'CONFIRMED', problem: null })
  })

  test('stays one while its DNS does not answer, for three days', async () => {
    await confirm()
    dns.records.set(ownershipName, 'failure')
    await checkAgain()
    expect(await stateOf()).toMatchObject({ status: 'CONFIRMED' })
    expect(found((await recordsOf()).find(({ purpose }) => purpose === 'OWNERSHIP')).found).toBeNull()
    await shop.database`UPDATE merchant.sender SET confirmed_at = now() - interval '73 hours'`
    await checkAgain()
    expect(await stateOf()).toEqual({ status: 'LOST', problem: 'DNS does not answer for mill.example' })
  })

  test('ends with the check that its merchant’s other domain has overtaken', async () => {
    await set()
    await publish()
    const [claimed] = await shop.database<{ token: string }[]>`SELECT token FROM merchant.sender`
    dataOf(await call('setEmailSender', { input: { address: 'a@other.example' } }))
    const [{ outcome }] = await shop.database<[{ outcome: { outcome: string } }]>`
      SELECT merchant.record_sender_check(${merchant.merchantId}, ${found(claimed).token}, '[]', true, NULL) AS outcome`
    expect(outcome).toEqual({ outcome: 'unknown' })
    expect(await stateOf()).toMatchObject({ status: 'PENDING' })
  })

  test('whose DNS says nothing at all is given up after some seconds', async () => {
    await set()
    for (const { name } of await recordsOf()) dns.records.set(name, 'nothing')
    await check()
    expect(await stateOf()).toEqual({ status: 'PENDING', problem: 'DNS does not answer for mill.example' })
  }, 30_000)
})
