import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { fixtureId } from '../../testing/shop.ts'

let gateway: TestGateway
let key: string

beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface Node {
  readonly id: string
  readonly name: string
}

interface Page {
  readonly totalCount: number
  readonly edges: readonly { readonly node: Node }[]
}

async function ask<Data>(document: string): Promise<Data> {
  const answer = await send(gateway, key, document)
  expect(answer.errors).toEqual([])
  return answer.data as Data
}

const names = ({ edges }: Page) => edges.map(({ node }) => node.name)

describe('users', () => {
  test('have their roles and the permissions of all of them', async () => {
    const id = fixtureId('user', 1, 2)
    expect(
      await ask(
        `{ user(id: "${id}") { email status emailVerified mfaEnabled permissions roles { name builtIn } } }`,
      ),
    ).toEqual({
      user: {
        email: 'user2@example.com',
        status: 'ACTIVE',
        emailVerified: false,
        mfaEnabled: false,
        permissions: ['orders:read', 'products:read'],
        roles: [{ name: 'Picker', builtIn: false }],
      },
    })
    expect(await ask(`{ user(id: "${fixtureId('user', 2, 2)}") { id } }`)).toEqual({ user: null })
  })

  test('are listed by status, role and text, in the requested order', async () => {
    const list = async (args: string) =>
      names(
        (await ask<{ users: Page }>(`{ users(${args}) { totalCount edges { node { id name } } } }`)).users,
      )
    expect(await list('first: 2')).toEqual(['User 3', 'User 2'])
    expect(await list('sortBy: EMAIL, sortOrder: ASC')).toEqual(['User 1', 'User 2', 'User 3'])
    expect(await list('status: INACTIVE')).toEqual(['User 3'])
    expect(await list(`filters: { roleId: "${fixtureId('role', 1, 1)}" }`)).toEqual(['User 2'])
    expect(await list(`filters: { roleId: "${fixtureId('role', 2, 1)}" }`)).toEqual([])
    expect(await list('searchQuery: "R1@EXAMPLE"')).toEqual(['User 1'])
  })

  test('and roles are visible to callers with the permission', async () => {
    const other = await gateway.createKey({ permissions: ['users:read'] })
    expect((await send(gateway, other, '{ users { totalCount } }')).errors).toEqual([])
    for (const document of ['{ roles { totalCount } }', '{ users { edges { node { roles { name } } } } }']) {
      expect((await send(gateway, other, document)).errors).toMatchObject([
        { extensions: { id: 'SVC_AUTH_003' } },
      ])
    }
  })
})

describe('roles', () => {
  test('begin with the built-in ones', async () => {
    const { roles } = await ask<{ roles: Page }>('{ roles { totalCount edges { node { id name } } } }')
    expect(names(roles)).toEqual(
      expect.arrayContaining(['Owner', 'Admin', 'Manager', 'Support', 'Read-only', 'Picker']),
    )
    expect(roles.totalCount).toBe(6)
  })

  test('can be found by permission', async () => {
    const { roles } = await ask<{ roles: Page }>(
      '{ roles(filters: { permission: "billing:write" }) { totalCount edges { node { id name } } } }',
    )
    expect(names(roles)).toEqual(['Owner'])
  })
})

test('the viewer of an API key has the kind KEY', async () => {
  expect(await ask('{ viewer { kind role merchant { plan } } }')).toEqual({
    viewer: { kind: 'KEY', role: 'merchant', merchant: { plan: 'PRO' } },
  })
})
