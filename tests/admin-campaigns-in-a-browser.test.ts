import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessible,
  accessiblePlaces,
  type AdminBrowser,
  looks,
  openAdminBrowser,
  skipsAdmin,
  whySkipped,
} from './support/admin-browser.ts'
import { succeeded } from './support/shop.ts'

const words = { subject: 'Snow at {{shop.name}}', html: '<p>It snows.</p>', text: 'It snows.' }

describe.skipIf(skipsAdmin)(`campaigns of /admin${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  async function createCampaign(name: string): Promise<string> {
    const { createEmailCampaign } = succeeded(
      await admin.owner<{ createEmailCampaign: { campaign: { id: string } } }>(
        'mutation ($input: CreateEmailCampaignInput!) { createEmailCampaign(input: $input) { campaign { id } errors { message } } }',
        { input: { name, ...words } },
      ),
    )
    return createEmailCampaign.campaign.id
  }
  const campaignOf = async (id: string) =>
    succeeded(
      await admin.owner<{ emailCampaign: { status: string; scheduledAt: string | null; sent: number } }>(
        'query ($id: ID!) { emailCampaign(id: $id) { status scheduledAt sent } }',
        { id },
      ),
    ).emailCampaign
  async function countRecipients(): Promise<number> {
    const { previewEmailCampaign } = succeeded(
      await admin.owner<{ previewEmailCampaign: { recipients: number } }>(
        'mutation ($input: PreviewEmailCampaignInput!) { previewEmailCampaign(input: $input) { recipients errors { message } } }',
        { input: words },
      ),
    )
    return previewEmailCampaign.recipients
  }

  /** The latest test of a kind of message, as it left. */
  async function testOf(kind: string) {
    const latest = async () =>
      succeeded(
        await admin.owner<{
          emailDeliveries: {
            nodes: {
              recipient: string
              campaignId: string | null
              isTest: boolean
              status: string
              html: string | null
            }[]
          }
        }>(
          'query ($kind: EmailKind!) { emailDeliveries(first: 1, filters: { kind: $kind }) { nodes { recipient campaignId isTest status html } } }',
          { kind },
        ),
      ).emailDeliveries.nodes[0]
    await expect.poll(async () => (await latest())?.status, { timeout: 30_000, interval: 500 }).toBe('SENT')
    return latest()
  }

  async function zoneOfShop(): Promise<string> {
    const { merchantAccount } = succeeded(
      await admin.owner<{ merchantAccount: { settings: { timezone: string } } }>(
        '{ merchantAccount { settings { timezone } } }',
      ),
    )
    return merchantAccount.settings.timezone
  }

  test.each(Object.entries(looks))('break no rule of WCAG 2.2 AA, %s', async (look, options) => {
    const id = await createCampaign(`Looked at: ${look}`)
    await using visitor = await admin.enter('emails/campaigns', options)
    const { page } = visitor
    await page.getByText(`Looked at: ${look}`).waitFor()
    await accessible(page)
    await accessiblePlaces(admin, page, ['emails/campaigns/new', `emails/campaigns/${id}`])
    await page.getByRole('button', { name: 'Send …' }).click()
    await page.getByRole('button', { name: /^Send to / }).waitFor()
    await accessible(page)
  })

  test('one is written with faults told at their fields, tried, and sent after its number of recipients is said', async () => {
    await using visitor = await admin.enter('emails/campaigns')
    const { page } = visitor
    await page.getByRole('link', { name: 'New campaign' }).click()
    const mail = page.frameLocator('iframe')
    await mail.getByText('Hello Ada Lovelace,').waitFor()
    await page.getByLabel('Name').fill('Lights')
    await page.getByLabel('With formatting (HTML)').fill('<p>{{nothing.there}}</p>')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There is no variable nothing.there').waitFor()
    await page
      .getByLabel('With formatting (HTML)')
      .fill('<p style="color: rgb(1, 2, 3)">Dear {{customer.name}}</p>')
    await page.getByRole('button', { name: 'Preview' }).click()
    await mail.getByText('Dear Ada Lovelace').waitFor()
    // Nobody has written it into the words.
    await mail.getByText('Unsubscribe from').waitFor()
    const address = admin.platform.userEmail
    await page.getByRole('button', { name: `Send a test to ${address}` }).click()
    await page.getByText(`A test with sample data is on its way to ${address}`).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Lights', level: 1 }).waitFor()
    const test = await testOf('CAMPAIGN')
    expect(test).toMatchObject({ recipient: address, campaignId: null, isTest: true })
    expect(test?.html).toContain('Dear Ada Lovelace')

    const count = await countRecipients()
    expect(count).toBeGreaterThan(0)
    await page.getByLabel('Subject').fill('Not saved')
    expect(await page.getByRole('button', { name: 'Send …' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Send …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(new RegExp(`It would go to ${count} customers? now`)).waitFor()
    await dialog.getByRole('button', { name: new RegExp(`^Send to ${count} customer`) }).click()
    // No visit and no reload: it follows how far it is.
    await page.getByText('Sent', { exact: true }).first().waitFor({ timeout: 60_000 })
    await page.getByText('Ended').waitFor({ timeout: 60_000 })
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    expect(await campaignOf(id)).toMatchObject({ status: 'SENT', sent: count })
    await page.goto(`${admin.address}/emails/campaigns`)
    await page
      .getByRole('row')
      .filter({ hasText: 'Lights' })
      .getByRole('cell', { name: String(count), exact: true })
      .first()
      .waitFor()
  })

  test('one is scheduled in the shop’s time zone, a time in the past is refused at the field, and it is stopped', async () => {
    const id = await createCampaign('Later')
    await using visitor = await admin.enter(`emails/campaigns/${id}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'Send …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /When/ }).click()
    await page.getByRole('option', { name: 'At a time' }).click()
    await dialog.getByLabel('Begins').fill('2020-01-01T10:00')
    await dialog.getByRole('button', { name: 'Schedule it' }).click()
    await dialog.getByText('The time is in the past').waitFor()
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    await dialog.getByLabel('Begins').fill(`${tomorrow}T10:00`)
    await dialog.getByRole('button', { name: 'Schedule it' }).click()
    await page.getByText('Scheduled', { exact: true }).waitFor()
    const { status, scheduledAt } = await campaignOf(id)
    expect(status).toBe('SCHEDULED')
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: await zoneOfShop(), timeStyle: 'short' })
    expect(clock.format(new Date(scheduledAt ?? 0))).toBe('10:00')

    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped', { exact: true }).first().waitFor()
    expect((await campaignOf(id)).status).toBe('CANCELLED')
    await page.getByRole('link', { name: 'Use its words again' }).click()
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe(words.subject)
    expect(await page.getByLabel('Name').inputValue()).toBe('')
  })

  test('one that is being sent is paused, shows how far it is, and goes on', async () => {
    const id = await createCampaign('Held')
    const sql = new pg.Client({ connectionString: admin.platform.databaseUrl })
    await sql.connect()
    // Three messages: one has left, and the others aren't due yet.
    await sql.query(
      `WITH campaign AS (
        UPDATE email.campaign SET status = 'SENDING', addressed = true, scheduled_at = now(), started_at = now()
        WHERE id = $1 RETURNING merchant_id, id
      )
      INSERT INTO email.delivery
        (merchant_id, kind, subject_key, recipient, customer_id, campaign_id, facts, status, next_attempt_at)
      SELECT c.merchant_id, 'CAMPAIGN', g.id::text, c.email, c.id, g.id,
        jsonb_build_object('customer', jsonb_build_object('name', c.name, 'email', c.email)),
        CASE WHEN row_number() OVER () = 1 THEN 'SENT' ELSE 'QUEUED' END, now() + interval '1 hour'
      FROM campaign g JOIN crm.customer c ON c.merchant_id = g.merchant_id AND c.marketing_opt_in LIMIT 3`,
      [id],
    )
    await using visitor = await admin.enter(`emails/campaigns/${id}`)
    const { page } = visitor
    await page.getByRole('progressbar', { name: '1 of 3 messages' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    expect(await campaignOf(id)).toMatchObject({ status: 'PAUSED', sent: 1 })
    await page.getByRole('progressbar', { name: '1 of 3 messages' }).waitFor()
    await page.getByText('The messages that wait are held back.').waitFor()
    await accessible(page)
    // They are due now, and held.
    await sql.query('UPDATE email.delivery SET next_attempt_at = now() WHERE campaign_id = $1', [id])
    await page.goto(`${admin.address}/emails/campaigns`)
    await page.getByRole('row').filter({ hasText: 'Held' }).getByText('Paused').waitFor()
    await page.goto(`${admin.address}/emails/campaigns/${id}`)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Ended').waitFor({ timeout: 60_000 })
    expect(await campaignOf(id)).toMatchObject({ status: 'SENT', sent: 3 })
    const { rows } = await sql.query('SELECT recipient FROM email.delivery WHERE campaign_id = $1', [id])
    expect(rows).toHaveLength(3)
    await sql.end()
  })

  test('what didn’t arrive is listed with why, and sent again', async () => {
    const id = await createCampaign('Came back')
    succeeded(
      await admin.owner('mutation ($id: ID!) { scheduleEmailCampaign(id: $id) { errors { message } } }', {
        id,
      }),
    )
    await expect
      .poll(async () => (await campaignOf(id)).status, { timeout: 60_000, interval: 500 })
      .toBe('SENT')
    const sql = new pg.Client({ connectionString: admin.platform.databaseUrl })
    await sql.connect()
    const { rows } = await sql.query<{ recipient: string }>(
      `UPDATE email.delivery SET status = 'FAILED', reason = '451 the mailbox is full'
      WHERE id = (SELECT id FROM email.delivery WHERE campaign_id = $1 LIMIT 1) RETURNING recipient`,
      [id],
    )
    await sql.end()
    const recipient = rows[0]?.recipient ?? ''
    await using visitor = await admin.enter(`emails/campaigns/${id}`)
    const { page } = visitor
    const failures = page.getByRole('region', { name: 'What didn’t arrive' })
    await failures.getByText('451 the mailbox is full').waitFor()
    await failures.getByRole('button', { name: `Send again to ${recipient}` }).click()
    await page.getByText(`The message to ${recipient} waits to be sent`).waitFor()
    await failures.waitFor({ state: 'detached' })
  })

  test('the list follows what others do, and a draft is deleted', async () => {
    await using visitor = await admin.enter('emails/campaigns')
    const { page } = visitor
    await page.getByRole('table').waitFor()
    const id = await createCampaign('By somebody else')
    await page.getByRole('link', { name: 'By somebody else' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor()
    expect(await campaignOf(id)).toBeNull()
  })

  test('who may only read sees drafts and what is sent, and nothing to change them with', async () => {
    const id = await createCampaign('Read only')
    await using visitor = await admin.enter('emails/campaigns')
    const { page } = visitor
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replaceAll('"email:write"', '"email:none"')
      await route.fulfill({ response, body })
    })
    await page.goto(`${admin.address}/emails/campaigns`)
    await page.getByRole('link', { name: 'Read only' }).waitFor()
    expect(await page.getByRole('link', { name: 'New campaign' }).count()).toBe(0)
    await page.goto(`${admin.address}/emails/campaigns/${id}`)
    await page.frameLocator('iframe').getByText('It snows.').waitFor()
    for (const name of ['Send …', 'Delete', 'Save', 'Stop', 'Pause'])
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0])
    expect(await page.getByLabel('Subject').count()).toBe(0)
  })
})
