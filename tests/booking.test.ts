import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const day = 24 * 60 * 60 * 1000

interface Payload {
  readonly appointment: { readonly id: string; readonly status: string } | null
  readonly errors: readonly { readonly field: string; readonly message: string }[]
}

/** The demo shop's workshop over HTTP: the calls that a shop and a shopper make. */
describe('an appointment', { timeout: 60_000 }, () => {
  let platform: TestPlatform
  let shop: Client
  const shoppers: { readonly id: string; readonly client: Client }[] = []

  beforeAll(async () => {
    platform = await startTestPlatform()
    shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
    const { customers } = succeeded(
      await shop<{ customers: { edges: { node: { id: string } }[] } }>(
        '{ customers(first: 2) { edges { node { id } } } }',
      ),
    )
    for (const { node } of customers.edges) {
      const { createCustomerAccessToken: token } = succeeded(
        await shop<{ createCustomerAccessToken: { accessToken: string } }>(
          'mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken } }',
          { id: node.id },
        ),
      )
      shoppers.push({ id: node.id, client: createClient(platform.graphqlUrl, bearer(token.accessToken)) })
    }
  })
  afterAll(() => platform.stop())

  const change = async (client: Client, name: string, id: string): Promise<Payload> =>
    succeeded(
      await client<{ result: Payload }>(
        `mutation ($id: ID!) { result: ${name}(id: $id) { appointment { id status } errors { field message } } }`,
        { id },
      ),
    ).result

  test('can be found, is booked by the faster of two shoppers, is confirmed, and can be cancelled by its shopper', async () => {
    const [first, second] = shoppers
    if (!first || !second) throw new Error('the demo shop has too few customers')
    const { bookingServices } = succeeded(
      await first.client<{ bookingServices: { edges: { node: { id: string } }[] } }>(
        '{ bookingServices(filters: { searchQuery: "boot" }) { edges { node { id name price duration } } } }',
      ),
    )
    const serviceId = bookingServices.edges[0]?.node.id
    const ask = async () =>
      succeeded(
        await first.client<{ availability: { startTime: string; staffId: string }[] }>(
          'query ($serviceId: ID!, $from: DateTime!, $to: DateTime!) { availability(serviceId: $serviceId, from: $from, to: $to) { startTime staffId staff { name } } }',
          { serviceId, from: new Date().toISOString(), to: new Date(Date.now() + 14 * day).toISOString() },
        ),
      ).availability
    const [slot] = await ask()
    if (!slot) throw new Error('nothing is free for two weeks')

    const answers = await Promise.all(
      [first, second].map(
        async ({ id, client }) =>
          succeeded(
            await client<{ createAppointment: Payload }>(
              'mutation ($input: CreateAppointmentInput!) { createAppointment(input: $input) { appointment { id status } errors { field message } } }',
              { input: { ...slot, staff: undefined, serviceId, customerId: id } },
            ),
          ).createAppointment,
      ),
    )
    const winner = answers.findIndex(({ appointment }) => appointment !== null)
    expect(answers[1 - winner]).toEqual({
      appointment: null,
      errors: [{ field: 'startTime', message: 'The time is taken' }],
    })
    const id = answers[winner]?.appointment?.id ?? ''
    expect(await ask()).not.toContainEqual(slot)

    expect(await change(shop, 'confirmAppointment', id)).toMatchObject({
      appointment: { status: 'CONFIRMED' },
    })
    const [has, hasNot] = winner === 0 ? [first, second] : [second, first]
    expect(await change(hasNot.client, 'cancelAppointment', id)).toMatchObject({ errors: [{ field: 'id' }] })
    expect(await change(has.client, 'cancelAppointment', id)).toMatchObject({
      appointment: { status: 'CANCELLED' },
    })
    expect(await ask()).toContainEqual(slot)
  })
})
