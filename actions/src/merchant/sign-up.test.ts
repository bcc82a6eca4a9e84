import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mail, MailTransport } from '../messaging/transports/index.ts'
import { found, openTestShop, type TestShop } from '../testing/test-shop.ts'
import { mailSignUps } from './sign-up-mails.ts'
import { openSignedUp, requestSignUp } from './sign-up.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

const request = async (email: string) =>
  requestSignUp(shop, { name: 'Old Mill', email, country: 'DE', currency: 'EUR' }, null)

/** Takes mails to one address, after `dying` attempts in which its process ends. */
function mailerFor(email: string, dying: number) {
  const mails: Mail[] = []
  let attempts = 0
  const mailer: MailTransport = {
    name: 'test',
    send(mail) {
      if (mail.to.address !== email)
        return Promise.resolve({ outcome: 'unavailable', reason: 'not for this test' })
      attempts += 1
      if (attempts <= dying) return Promise.reject(new Error('the process ends'))
      mails.push(mail)
      return Promise.resolve({ outcome: 'accepted', messageId: null })
    },
    close: () => undefined,
  }
  return { mailer, mails }
}

const mail = ({ mailer }: { readonly mailer: MailTransport }) =>
  mailSignUps(shop.database, {
    secretBox: shop.secretBox,
    mailer,
    senderAddress: 'mail@platform.example',
    signUpUrl: 'https://platform.example/welcome#{token}',
  })

const due = () => shop.database`UPDATE operator.sign_up SET next_attempt_at = now()`
const tokenIn = (mails: readonly Mail[]) => found(/#(main_[\w-]{43})/.exec(found(mails[0]).text)?.[1])

test('a process that dies while it mails leaves one mail to send', async () => {
  const email = 'dies@example.com'
  expect(await request(email)).toEqual({ outcome: 'requested' })
  const sending = mailerFor(email, 1)
  await expect(mail(sending)).rejects.toThrow('the process ends')
  // Another process doesn't send it before the first one counts as dead.
  await mail(sending)
  expect(sending.mails).toEqual([])
  await due()
  await mail(sending)
  await due()
  await mail(sending)
  expect(sending.mails).toHaveLength(1)
})

test('a transaction that dies while it opens the shop leaves the link good for one', async () => {
  const email = 'opens@example.com'
  await request(email)
  const sending = mailerFor(email, 0)
  await mail(sending)
  const token = tokenIn(sending.mails)
  const dying = Object.assign(shop.database.bind(null), shop.database, {
    begin: (work: (sql: unknown) => Promise<unknown>) =>
      shop.database.begin(async (sql) => {
        await work(sql)
        throw new Error('the process ends')
      }),
  }) as unknown as TestShop['database']
  await expect(openSignedUp({ ...shop, database: dying }, token, null)).rejects.toThrow('the process ends')
  const merchants = () =>
    shop.database`SELECT FROM merchant.merchant WHERE email = ${email} AND twin_of IS NULL`
  expect(await merchants()).toHaveLength(0)
  const opened = await openSignedUp(shop, token, null)
  expect(await openSignedUp(shop, token, null)).toEqual(opened)
  expect(await merchants()).toHaveLength(1)
})
