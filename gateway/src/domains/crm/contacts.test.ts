import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { customerPrincipal, fixtureId } from '../../testing/shop.ts'
import { runQuery } from '../../testing/run.ts'

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const customerId = fixtureId('customer', 1, 1)
const errors = 'errors { field code }'

async function ask<Data = Record<string, never>>(document: string, variables: object = {}): Promise<Data> {
  const answer = await send(gateway, key, document, { ...variables })
  expect(answer.errors).toEqual([])
  return answer.data as Data
}

type Payload<Name extends string> = Readonly<
  Record<Name, { readonly id: string } & Readonly<Record<string, unknown>>>
> & { readonly errors: readonly { readonly field: string; readonly code: string }[] }

async function createContact(input: object): Promise<Payload<'contact'>> {
  const { createContact } = await ask<{ createContact: Payload<'contact'> }>(
    `mutation ($input: ContactInput!) { createContact(input: $input) { contact { id name customer { id } } ${errors} } }`,
    { input },
  )
  return createContact
}

async function createInteraction(input: object): Promise<Payload<'interaction'>> {
  const { createInteraction } = await ask<{ createInteraction: Payload<'interaction'> }>(
    `mutation ($input: InteractionInput!) {
      createInteraction(input: $input) { interaction { id type contact { name } occurredAt } ${errors} }
    }`,
    { input },
  )
  return createInteraction
}

describe('contacts and interactions', () => {
  test('are created for a customer, listed and filtered there, and deleting a contact keeps its interactions', async () => {
    const { contact } = await createContact({
      customerId,
      name: 'Theo',
      title: 'Gear room',
      email: 't@example.com',
    })
    expect(contact).toMatchObject({ name: 'Theo', customer: { id: customerId } })
    const call = {
      customerId,
      contactId: contact.id,
      type: 'CALL',
      subject: 'Ropes',
      occurredAt: '2026-03-01T10:00:00Z',
    }
    const { interaction } = await createInteraction(call)
    expect(interaction).toMatchObject({ type: 'CALL', contact: { name: 'Theo' } })
    await createInteraction({
      customerId,
      type: 'NOTE',
      subject: 'Pays late',
      occurredAt: '2026-03-02T10:00:00Z',
    })

    const read = () =>
      ask(
        `query ($id: ID!) {
          customer(id: $id) {
            contacts { totalCount edges { node { name title } } }
            interactions { edges { node { subject contact { name } } } }
            calls: interactions(filters: { type: CALL, endDate: "2026-03-01T23:00:00Z" }) { totalCount }
          }
          contacts(searchQuery: "theo") { totalCount }
          interactions(filters: { type: NOTE }) { totalCount }
        }`,
        { id: customerId },
      )
    expect(await read()).toEqual({
      customer: {
        contacts: { totalCount: 1, edges: [{ node: { name: 'Theo', title: 'Gear room' } }] },
        interactions: {
          edges: [
            { node: { subject: 'Pays late', contact: null } },
            { node: { subject: 'Ropes', contact: { name: 'Theo' } } },
          ],
        },
        calls: { totalCount: 1 },
      },
      contacts: { totalCount: 1 },
      interactions: { totalCount: 1 },
    })
    await ask(`mutation ($id: ID!) { deleteContact(id: $id) { success ${errors} } }`, { id: contact.id })
    expect(
      await ask('query ($id: ID!) { interaction(id: $id) { subject contact { name } } }', {
        id: interaction.id,
      }),
    ).toEqual({ interaction: { subject: 'Ropes', contact: null } })
  })

  test('belong to one customer: an interaction can’t name another customer’s contact', async () => {
    const { contact } = await createContact({ customerId: fixtureId('customer', 1, 2), name: 'Elsewhere' })
    const { errors } = await createInteraction({
      customerId,
      contactId: contact.id,
      type: 'CALL',
      subject: 'x',
    })
    expect(errors).toEqual([{ field: 'contactId', code: 'NOT_FOUND' }])
    const foreign = await createContact({ customerId: fixtureId('customer', 2, 1), name: 'Foreign' })
    expect(foreign.errors).toEqual([{ field: 'customerId', code: 'NOT_FOUND' }])
  })

  test('are hidden from shoppers, in both APIs', async () => {
    const text = '{ interactions { totalCount } contacts { totalCount } }'
    const result = await runQuery(gateway.shop, customerPrincipal(1), text)
    expect(result).toMatchObject({
      kind: 'refused',
      errors: [{ details: { field: 'Query.interactions' } }, { details: { field: 'Query.contacts' } }],
    })
    const direct = await gateway.shop.dataLayer.execute(
      { query: '{ interactions { id } }' },
      customerPrincipal(1).sessionVariables,
    )
    expect(direct.kind).toBe('errors')
  })
})

describe('an address', () => {
  const addresses = async () => {
    const { customer } = await ask<{
      customer: { addresses: { id: string; line1: string; isDefault: boolean }[] }
    }>('query ($id: ID!) { customer(id: $id) { addresses { id line1 isDefault } } }', {
      id: fixtureId('customer', 1, 3),
    })
    return customer.addresses
  }
  const add = (line1: string, isDefault?: boolean) =>
    ask(
      `mutation ($id: ID!, $input: AddressInput!, $isDefault: Boolean) {
        createCustomerAddress(customerId: $id, input: $input, isDefault: $isDefault) { address { id } ${errors} }
      }`,
      {
        id: fixtureId('customer', 1, 3),
        input: { line1, city: 'B', state: 'B', postalCode: '1', country: 'DE' },
        isDefault,
      },
    )
  const defaults = async () =>
    (await addresses()).filter(({ isDefault }) => isDefault).map(({ line1 }) => line1)

  test('is the default exactly once after any additions, changes and deletions, also concurrent ones', async () => {
    await add('second')
    expect(await defaults()).toEqual(['3 Main St'])
    await add('third', true)
    expect(await defaults()).toEqual(['third'])
    const third = (await addresses()).find(({ line1 }) => line1 === 'third')?.id
    const refused = await ask(
      `mutation ($id: ID!) { updateCustomerAddress(id: $id, input: {}, isDefault: false) { address { id } ${errors} } }`,
      { id: third },
    )
    expect(refused).toEqual({
      updateCustomerAddress: { address: null, errors: [{ field: 'isDefault', code: 'INVALID_VALUE' }] },
    })
    const remove = (id: string | undefined) =>
      ask(`mutation ($id: ID!) { deleteCustomerAddress(id: $id) { success ${errors} } }`, { id })
    await remove(third)
    expect(await defaults()).toEqual(['3 Main St'])
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        ...(await addresses()).map(({ id }) => remove(id)),
        add(`new ${round}`),
        add(`newer ${round}`),
      ])
      expect(await defaults()).toHaveLength(1)
    }
  })
})
