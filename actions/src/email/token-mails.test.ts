import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defaultRetryPolicy, deliverEmails } from '../messaging/outbox/index.ts'
import {
  createOutboxTransport,
  createSmtpTransport,
  type MailTransport,
  noMailTransport,
} from '../messaging/transports/index.ts'
import { tokenMailKinds } from '../messaging/compose/index.ts'
import { answerPasswordResets } from '../identity/index.ts'
import { type MailCatcher, startMailCatcher } from '../testing/mail-catcher.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  staff,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { linkFault } from './links.ts'
import { purgeRenderedEmails } from './purge.ts'

const password = 'correct horse battery staple'

let shop: TestShop
let merchant: TestMerchant
let catcher: MailCatcher
let smtp: MailTransport
/** All permissions. */
let everything: ReadonlySet<string>
beforeAll(async () => {
  shop = await openTestShop()
  catcher = await startMailCatcher()
  smtp = createSmtpTransport(catcher.url)
  const names = await shop.database<{ name: string }[]>`SELECT name FROM merchant.permission`
  everything = new Set(names.map(({ name }) => name))
})
afterAll(async () => {
  smtp.close()
  await catcher.close()
  await shop.close()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
})
afterEach(async () => {
  catcher.answerWith({ kind: 'take' })
  await shop.database`DELETE FROM identity.one_time_token`
  await shop.database`DELETE FROM email.delivery`
})

const deliver = (mailer = smtp) =>
  deliverEmails(shop.database, {
    mailer,
    senderAddress: 'shop@platform.example',
    unsubscribeUrl: 'https://shop.example.com/unsubscribe',
    secretBox: shop.secretBox,
    retryPolicy: defaultRetryPolicy,
  })

const as = (permissions: ReadonlySet<string>) => ({ session: { ...staff(merchant), permissions } })

const without = (...names: readonly string[]) =>
  as(new Set([...everything].filter((name) => !names.includes(name))))

let people = 0
async function invite(): Promise<string> {
  people += 1
  const email = `invited${people}@example.com`
  dataOf(await shop.call(merchant, 'createUser', { input: { email, name: 'Grace' } }))
  return email
}

async function customer(): Promise<string> {
  const id = await createCustomer(shop.database, merchant.merchantId)
  const [row] = await shop.database<{ email: string }[]>`SELECT email FROM crm.customer WHERE id = ${id}`
  return found(row).email
}

async function askForReset(email: string) {
  dataOf(await shop.call(merchant, 'requestCustomerPasswordReset', { email }, as(everything)))
  await answerPasswordResets(shop)
}

const bodyOf = (source: string) => source.replaceAll('=\r\n', '').replaceAll('=3D', '=')

const mailsTo = (email: string) => catcher.mails.filter(({ to }) => to.includes(email))

const tokensIn = (source: string) => [...new Set(bodyOf(source).match(/(?<![\w-])main_[\w-]{43}(?![\w-])/g))]

function tokenFor(email: string): string {
  const [token, ...others] = mailsTo(email).flatMap(({ source }) => tokensIn(source))
  expect(others.filter((other) => other !== token)).toEqual([])
  return found(token)
}

const setPassword = (token: string) =>
  shop.call(merchant, 'resetPassword', { token, password }, as(everything))

async function deliveryTo(email: string) {
  const [row] = await shop.database<
    { kind: string; status: string; reason: string | null; attempts: number; text: string; row: string }[]
  >`
    SELECT kind, status, reason, attempts, text, d::text AS row FROM email.delivery d
    WHERE recipient = ${email} ORDER BY created_at DESC, id DESC LIMIT 1`
  return found(row)
}

/** The tables with a row that contains the text. */
async function whereIs(text: string): Promise<readonly string[]> {
  const tables = await shop.database<{ schema: string; name: string }[]>`
    SELECT schemaname AS schema, tablename AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
  const found: string[] = []
  for (const { schema, name } of tables) {
    const rows = await shop.database`
      SELECT FROM ${shop.database(schema)}.${shop.database(name)} t WHERE strpos(t::text, ${text}) > 0 LIMIT 1`
    if (rows.length > 0) found.push(`${schema}.${name}`)
  }
  return found
}

describe('a mail with a token', () => {
  test('sends an invited user a token that works once, and the token is not in the database', async () => {
    const email = await invite()
    await deliver()
    const token = tokenFor(email)
    expect(await whereIs(email)).toContain('email.delivery')
    expect(await whereIs(token)).toEqual([])
    expect(await deliveryTo(email)).toMatchObject({ kind: 'USER_INVITATION', status: 'SENT', attempts: 1 })
    expect((await deliveryTo(email)).text).toContain('•••')
    dataOf(await setPassword(token))
    expect(await setPassword(token)).toMatchObject({ errors: [{ field: 'token' }] })
    const user = { email, password }
    expect(dataOf(await shop.call(merchant, 'signInUser', { input: user }, as(everything)))).toHaveProperty(
      'accessToken',
    )
    await deliver()
    expect(mailsTo(email)).toHaveLength(1)
  })

  test('links to the merchant’s own page, with the merchant’s own template', async () => {
    const url = 'https://shop.example.com/reset#token={token}'
    const kind = 'CUSTOMER_PASSWORD_RESET'
    expect(
      dataOf(await shop.call(merchant, 'setEmailLink', { input: { kind, url } }, as(everything))),
    ).toEqual({
      link: { kind, url },
    })
    const input = { kind, subject: 'New password', html: '<a href="{{link}}">Go</a>', text: 'Go to {{link}}' }
    dataOf(await shop.call(merchant, 'createEmailTemplate', { input }, as(everything)))
    const email = await customer()
    await askForReset(email)
    await deliver()
    const token = tokenFor(email)
    expect(bodyOf(mailsTo(email)[0]?.source ?? '')).toContain(
      `Go to https://shop.example.com/reset#token=${token}`,
    )
    expect((await deliveryTo(email)).text).toBe('Go to https://shop.example.com/reset#token=•••')
    dataOf(await shop.call(merchant, 'setEmailLink', { input: { kind, url: null } }, as(everything)))
    const other = await customer()
    await askForReset(other)
    await deliver()
    dataOf(await setPassword(tokenFor(other)))
  })

  test('is tried again with the same token while the server is down, and the server’s answer is logged without the token', async () => {
    const email = await customer()
    await askForReset(email)
    const away = createSmtpTransport('smtp://127.0.0.1:9')
    await deliver(away)
    away.close()
    expect(await deliveryTo(email)).toMatchObject({ status: 'QUEUED', attempts: 1 })
    let seen = ''
    const chatty: MailTransport = {
      ...smtp,
      send: (mail) => {
        seen = mail.text
        return Promise.resolve({ outcome: 'refused', reason: `554 spam: ${mail.text}` })
      },
    }
    await shop.database`UPDATE email.delivery SET next_attempt_at = now()`
    await deliver(chatty)
    const [token] = tokensIn(seen)
    expect(await deliveryTo(email)).toMatchObject({ status: 'FAILED', attempts: 2 })
    expect(await whereIs(found(token))).toEqual([])
    const [row] = await shop.database<{ id: string }[]>`SELECT id FROM email.delivery`
    dataOf(await shop.call(merchant, 'retryEmailDelivery', { id: found(row).id }))
    await deliver()
    expect(tokenFor(email)).toBe(token)
    dataOf(await setPassword(found(token)))
  })

  test('is sent again with the same token and Message-ID if the outcome of an attempt is unknown', async () => {
    const email = await customer()
    await askForReset(email)
    const killed: MailTransport = {
      ...smtp,
      send: async (mail) => {
        await smtp.send(mail)
        throw new Error('killed')
      },
    }
    await expect(deliver(killed)).rejects.toThrow('killed')
    await shop.database`UPDATE email.delivery SET claimed_until = now() - interval '1 second'`
    await deliver()
    const [first, second, ...others] = mailsTo(email)
    expect(others).toEqual([])
    expect(second?.messageId).toBe(first?.messageId)
    dataOf(await setPassword(tokenFor(email)))
  })

  test('is not sent if its token has expired, was used or is replaced, and the log says so', async () => {
    const email = await customer()
    await askForReset(email)
    await shop.database`UPDATE identity.one_time_token SET expires_at = now()`
    await deliver()
    expect(await deliveryTo(email)).toMatchObject({ status: 'SUPPRESSED', attempts: 0 })
    expect((await deliveryTo(email)).reason).toContain('expired')
    await shop.database`UPDATE identity.one_time_token SET created_at = now() - interval '2 minutes'`
    await askForReset(email)
    await shop.database`UPDATE identity.one_time_token SET created_at = now() - interval '2 minutes'`
    await askForReset(email)
    await deliver()
    const states = await shop.database<
      { status: string }[]
    >`SELECT status FROM email.delivery ORDER BY created_at`
    expect(states.map(({ status }) => status)).toEqual(['SUPPRESSED', 'SUPPRESSED', 'SENT'])
    expect(mailsTo(email)).toHaveLength(1)
    dataOf(await setPassword(tokenFor(email)))
  })

  test('is not sent to an unknown address', async () => {
    await askForReset('unknown@example.com')
    expect(await shop.database`SELECT FROM email.delivery`).toEqual([])
  })

  test('is SUPPRESSED if the deployment has no transport, and its token is deleted', async () => {
    const email = await customer()
    await askForReset(email)
    await deliver(noMailTransport)
    expect(await deliveryTo(email)).toMatchObject({
      status: 'SUPPRESSED',
      reason: expect.stringContaining('no transport is configured (SMTP_URL)') as string,
    })
    const tokens = await shop.database`SELECT undelivered FROM identity.one_time_token WHERE email = ${email}`
    expect(tokens).toEqual([{ undelivered: null }])
    await deliver()
    expect(mailsTo(email)).toEqual([])
  })

  test('is written to a folder if there is no server, and only its owner can read it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outbox-'))
    const outbox = createOutboxTransport(folder)
    const email = await customer()
    await askForReset(email)
    await deliver(outbox)
    outbox.close()
    const [file, ...others] = await readdir(folder)
    expect(others).toEqual([])
    expect((await stat(join(folder, found(file)))).mode & 0o777).toBe(0o600)
    const source = await readFile(join(folder, found(file)), 'utf8')
    expect(source).toContain(`To: Ada <${email}>`)
    dataOf(await setPassword(found(tokensIn(source)[0])))
    await rm(folder, { recursive: true })
  })
})

test('a message’s text is deleted after 90 days; the data of a message that can be sent again is kept longer', async () => {
  const [sent, failed, recent] = [await customer(), await customer(), await customer()]
  for (const email of [sent, failed, recent]) await askForReset(email)
  await deliver()
  await shop.database`UPDATE email.delivery SET status = 'FAILED' WHERE recipient = ${failed}`
  await shop.database`
    UPDATE email.delivery SET created_at = now() - interval '91 days' WHERE recipient IN (${sent}, ${failed})`
  expect(await purgeRenderedEmails(shop.database, 90 * 24 * 60 * 60)).toBe(2)
  expect(await purgeRenderedEmails(shop.database, 90 * 24 * 60 * 60)).toBe(0)
  const rows = await shop.database`
    SELECT recipient, html IS NULL AND text IS NULL AS emptied, facts = '{}' AS forgotten FROM email.delivery
    ORDER BY array_position(${[sent, failed, recent]}::text[], recipient::text)`
  expect(rows).toEqual([
    { recipient: sent, emptied: true, forgotten: true },
    { recipient: failed, emptied: true, forgotten: false },
    { recipient: recent, emptied: false, forgotten: false },
  ])
})

describe('an author of mails with tokens', () => {
  const content = { subject: 'Hello', html: '<p>{{token}}</p>', text: '{{token}}' }
  const link = 'https://evil.example.com/?{token}'

  test.each(tokenMailKinds)(
    'of kind %s needs the permissions that the token gives, because the author could steal it',
    async (kind) => {
      const lacking = kind.startsWith('USER_') ? 'merchant:write' : 'customers:write'
      const options = without(lacking)
      const refused = {
        kind: 'refused',
        status: 403,
        details: { reason: expect.stringContaining(lacking) as string },
      }
      expect(
        await shop.call(merchant, 'setEmailLink', { input: { kind, url: link } }, options),
      ).toMatchObject(refused)
      const template = { input: { kind, ...content } }
      expect(await shop.call(merchant, 'createEmailTemplate', template, options)).toMatchObject(refused)
      const { emailTemplateId: id } = dataOf(
        await shop.call(merchant, 'createEmailTemplate', template, as(everything)),
      )
      const change = { id, input: { text: 'https://evil.example.com/?{{token}}' } }
      expect(await shop.call(merchant, 'updateEmailTemplate', change, options)).toMatchObject(refused)
    },
  )

  test('gets an error for a template without the token, or with the token in the wrong place', async () => {
    const faults = async (parts: object) =>
      shop.call(
        merchant,
        'createEmailTemplate',
        { input: { kind: 'USER_INVITATION', ...content, ...parts } },
        as(everything),
      )
    expect(await faults({ html: '<p>Welcome</p>' })).toMatchObject({ errors: [{ field: 'html' }] })
    expect(await faults({ text: '{{customer.name}} {{link}}' })).toMatchObject({
      errors: [{ field: 'text' }],
    })
    expect(await faults({ subject: 'Use {{token}}' })).toMatchObject({ errors: [{ field: 'subject' }] })
  })
})

test.each([
  ['https://shop.example.com/reset?token={token}', null],
  ['https://shop.example.com/reset/{token}', null],
  ['http://localhost:3000/#/join/{token}', null],
  ['http://[::1]:3000/{token}', null],
  ['http://shop.example.com/{token}', /https/],
  ['javascript:alert("{token}")', /https/],
  ['//shop.example.com/{token}', /absolute/],
  ['/reset?token={token}', /absolute/],
  ['https://shop.example.com/reset', /\{token\} in it, once/],
  ['https://shop.example.com/{token}/{token}', /\{token\} in it, once/],
  ['https://{token}.example.com/', /behind the host/],
  ['https://shop.example.com:{token}/', /absolute/],
  ['https://{token}@shop.example.com/', /no user/],
  ['https://shop.example.com@evil.example.com/{token}', /no user/],
  ['https:\\\\evil.example.com/{token}', /backslashes/],
  ['https://shop.example.com/\n{token}', /spaces/],
])('a link %s is %s', (link, fault) => {
  if (fault === null) expect(linkFault(link)).toBeNull()
  else expect(linkFault(link)).toMatch(fault)
})
