import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { bearer, createClient } from './support/graphql-client.ts'
import { createCustomer, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'
import { longTest, longTests } from './support/long-tests.ts'

const hour = 60 * 60 * 1000

let catcher: MailCatcher
let platform: TestPlatform
beforeAll(async () => {
  catcher = await startMailCatcher()
  platform = await startTestPlatform({ smtpUrl: catcher.url })
})
afterAll(async () => {
  await platform.stop()
  await catcher.close()
})

test.skipIf(!longTests)(
  longTest(
    'an appointment within a day causes one confirmation and one reminder by e-mail, and one mail to its staff member',
  ),
  { timeout: 120_000 },
  async () => {
    const merchant = createClient(platform.graphqlUrl, bearer(platform.liveKey))
    const customerId = await createCustomer(merchant)
    const created = succeeded(
      await merchant<Record<string, Readonly<Record<string, { readonly id: string }>>>>(
        `mutation ($staff: CreateStaffMemberInput!, $service: CreateBookingServiceInput!) {
        createBookingService(input: $service) { bookingService { id } errors { message } }
        createStaffMember(input: $staff) { staffMember { id } errors { message } }
      }`,
        {
          service: { name: 'Boot fitting', duration: 30, price: 0, currency: 'USD' },
          staff: { name: 'Sam', email: 'sam@shop.example', timeZone: 'UTC' },
        },
      ),
    )
    const serviceId = created['createBookingService']?.['bookingService']?.id
    const staffId = created['createStaffMember']?.['staffMember']?.id
    succeeded(
      await merchant(
        'mutation ($id: ID!, $input: UpdateStaffMemberInput!) { updateStaffMember(id: $id, input: $input) { errors { message } } }',
        { id: staffId, input: { serviceIds: [serviceId] } },
      ),
    )
    const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']
    for (const weekday of days) {
      succeeded(
        await merchant(
          'mutation ($input: CreateScheduleInput!) { createSchedule(input: $input) { errors { field message } } }',
          { input: { staffId, type: 'WEEKLY', weekday, startTime: '00:00', endTime: '24:00' } },
        ),
      )
    }
    const startTime = new Date(Math.ceil(Date.now() / hour + 3) * hour).toISOString()
    const booked = succeeded(
      await merchant<{ createAppointment: { errors: readonly unknown[] } }>(
        'mutation ($input: CreateAppointmentInput!) { createAppointment(input: $input) { errors { field message } } }',
        { input: { serviceId, staffId, customerId, startTime } },
      ),
    )
    expect(booked.createAppointment.errors).toEqual([])
    const waiting = { timeout: 90_000, interval: 500 }
    await expect.poll(() => catcher.mails.length, waiting).toBe(3)
    expect(catcher.mails.filter(({ to }) => to.includes('sam@shop.example'))).toHaveLength(1)
    // The delivery gets its status a moment after the mail server has accepted the mail.
    const deliveries = async (): Promise<readonly object[]> => {
      const answer = await merchant<{ emailDeliveries: { edges: { node: { kind: string } }[] } }>(
        'query ($id: ID!) { emailDeliveries(filters: { customerId: $id }) { edges { node { kind text } } } }',
        { id: customerId },
      )
      return succeeded(answer)
        .emailDeliveries.edges.map(({ node }) => node)
        .toSorted((one, other) => one.kind.localeCompare(other.kind))
    }
    await expect.poll(deliveries, waiting).toEqual(
      ['APPOINTMENT_BOOKED', 'APPOINTMENT_REMINDER'].map((kind) => ({
        kind,
        text: expect.stringContaining('Boot fitting') as unknown,
      })),
    )
  },
)
