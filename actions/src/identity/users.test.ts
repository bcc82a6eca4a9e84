import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../action/session.ts'
import { overlap } from '../testing/overlap.ts'
import { dataOf, found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { createTeamMember, roleId, sessionAs } from '../testing/test-team.ts'
import { changeUserStatus } from './users.ts'

let shop: TestShop
let merchant: TestMerchant
let owner: Session
let admin: Session
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  owner = await sessionAs(shop, merchant, 'Owner')
  admin = await sessionAs(shop, merchant, 'Admin')
})
afterAll(() => shop.close())

const call = (name: string, input: object, session = owner) => shop.call(merchant, name, input, { session })

async function statusOf(id: string) {
  const [user] = await shop.database<
    { status: string }[]
  >`SELECT status FROM identity.user WHERE merchant_id = ${merchant.merchantId} AND id = ${id}`
  return found(user).status
}

async function permissionsOf(userId: unknown) {
  const [row] = await shop.database<{ permissions: string[] }[]>`
    SELECT permissions FROM identity.user_access WHERE merchant_id = ${merchant.merchantId} AND user_id = ${String(userId)}`
  return found(row).permissions
}

describe('a user', () => {
  test('is invited as INACTIVE and has the permissions of all its roles', async () => {
    const one = dataOf(await call('createRole', { input: { name: 'One', permissions: ['orders:read'] } }))
    const two = dataOf(
      await call('createRole', { input: { name: 'Two', permissions: ['orders:read', 'carts:read'] } }),
    )
    const { userId } = dataOf(
      await call('createUser', { input: { email: 'union@example.com', roleIds: [one.roleId, two.roleId] } }),
    )
    expect(await statusOf(String(userId))).toBe('INACTIVE')
    expect(await permissionsOf(userId)).toEqual(['carts:read', 'orders:read'])
    dataOf(await call('removeRole', { userId, roleId: two.roleId }))
    expect(await permissionsOf(userId)).toEqual(['orders:read'])
    dataOf(await call('deleteUser', { id: userId }))
    expect(await permissionsOf(userId)).toEqual([])
  })

  test('has a role’s permissions from its assignment until its removal', async () => {
    const given = dataOf(await call('createRole', { input: { name: 'Given', permissions: ['orders:read'] } }))
    const { id: userId } = await createTeamMember(shop, merchant, 'Support')
    const { length } = await permissionsOf(userId)
    dataOf(await call('removeRole', { userId, roleId: await roleId(shop, merchant, 'Support') }))
    expect(await permissionsOf(userId)).toEqual([])
    dataOf(await call('assignRole', { userId, roleId: given.roleId }))
    expect(await permissionsOf(userId)).toEqual(['orders:read'])
    dataOf(await call('assignRole', { userId, roleId: await roleId(shop, merchant, 'Support') }))
    expect(await permissionsOf(userId)).toHaveLength(length)
  })

  test('has an e-mail address that is unique, ignoring case, until deleted', async () => {
    const { userId } = dataOf(await call('createUser', { input: { email: 'one@example.com' } }))
    const taken = { errors: [{ field: 'email', code: 'ALREADY_EXISTS' }] }
    expect(await call('createUser', { input: { email: 'ONE@example.com' } })).toMatchObject(taken)
    const { userId: other } = dataOf(await call('createUser', { input: { email: 'two@example.com' } }))
    expect(await call('updateUser', { id: other, input: { email: 'One@example.com' } })).toMatchObject(taken)
    dataOf(await call('deleteUser', { id: userId }))
    dataOf(await call('updateUser', { id: other, input: { email: 'one@example.com' } }))
  })

  test('is refused with all errors of the input at once', async () => {
    const input = { email: 'no address', phone: 'none', name: '', roleIds: [crypto.randomUUID()] }
    expect(await call('createUser', { input })).toMatchObject({
      errors: [
        { field: 'email', code: 'INVALID_FORMAT' },
        { field: 'name', code: 'REQUIRED_FIELD' },
        { field: 'phone', code: 'INVALID_FORMAT' },
      ],
    })
    expect(
      await call('createUser', { input: { email: 'x@example.com', roleIds: input.roleIds } }),
    ).toMatchObject({
      errors: [{ field: 'roleIds.0', code: 'NOT_FOUND' }],
    })
  })

  test('must verify a changed address again', async () => {
    const { id } = await createTeamMember(shop, merchant, 'Support')
    const verified = async () => {
      const [user] = await shop.database`SELECT email_verified FROM identity.user WHERE id = ${id}`
      return user?.['email_verified'] as boolean
    }
    await shop.database`UPDATE identity.user SET email_verified = true WHERE id = ${id}`
    dataOf(await call('updateUser', { id, input: { phone: null } }))
    expect(await verified()).toBe(true)
    dataOf(await call('updateUser', { id, input: { email: 'new@example.com' } }))
    expect(await verified()).toBe(false)
  })
})

describe('a caller can’t grant permissions that it lacks', () => {
  const beyond = (field: string) => ({
    kind: 'invalid',
    errors: [{ field, code: 'INVALID_VALUE', message: expect.stringContaining('billing:write') as string }],
  })

  test('by inviting, assigning, or removing a role', async () => {
    const ownerRole = await roleId(shop, merchant, 'Owner')
    const { id: userId } = await createTeamMember(shop, merchant, 'Support')
    const input = { email: 'boss@example.com', roleIds: [ownerRole] }
    expect(await call('createUser', { input }, admin)).toMatchObject(beyond('roleIds.0'))
    expect(await call('assignRole', { userId, roleId: ownerRole }, admin)).toMatchObject(beyond('roleId'))
    const boss = await createTeamMember(shop, merchant, 'Owner')
    expect(await call('removeRole', { userId: boss.id, roleId: ownerRole }, admin)).toMatchObject(
      beyond('userId'),
    )
  })

  test('by changing, suspending or deleting a user with more permissions', async () => {
    const { id } = await createTeamMember(shop, merchant, 'Owner')
    await createTeamMember(shop, merchant, 'Owner')
    expect(await call('updateUser', { id, input: { email: 'mine@example.com' } }, admin)).toMatchObject(
      beyond('id'),
    )
    expect(await call('suspendUser', { id }, admin)).toMatchObject(beyond('id'))
    expect(await call('deleteUser', { id }, admin)).toMatchObject(beyond('id'))
    expect(await statusOf(id)).toBe('ACTIVE')
  })

  test('by creating or extending a role', async () => {
    const permissions = ['orders:read', 'billing:write', 'no:such']
    expect(await call('createRole', { input: { name: 'Big', permissions } }, admin)).toMatchObject({
      errors: [
        { field: 'permissions.1', code: 'INVALID_VALUE' },
        { field: 'permissions.2', code: 'NOT_FOUND' },
      ],
    })
    const { roleId: id } = dataOf(
      await call('createRole', { input: { name: 'Small', permissions: ['orders:read'] } }, admin),
    )
    expect(await call('updateRole', { id, input: { permissions: ['billing:write'] } }, admin)).toMatchObject(
      beyond('permissions.0'),
    )
    dataOf(await call('updateRole', { id, input: { permissions: ['billing:write'] } }))
    expect(await call('updateRole', { id, input: { name: 'Mine' } }, admin)).toMatchObject(beyond('id'))
    expect(await call('deleteRole', { id }, admin)).toMatchObject(beyond('id'))
  })
})

describe('the last active owner', () => {
  test('can’t be suspended, deleted or demoted by any caller', async () => {
    const other = await shop.createMerchant()
    const session = await sessionAs(shop, other, 'Owner')
    const { id } = await createTeamMember(shop, other, 'Owner')
    await createTeamMember(shop, other, 'Owner', 'INACTIVE')
    const ownerRole = await roleId(shop, other, 'Owner')
    const last = (field: string) => ({
      errors: [{ field, message: 'The merchant would have no active owner left' }],
    })
    const on = (name: string, input: object) => shop.call(other, name, input, { session })
    expect(await on('suspendUser', { id })).toMatchObject(last('id'))
    expect(await on('deleteUser', { id })).toMatchObject(last('id'))
    expect(await on('removeRole', { userId: id, roleId: ownerRole })).toMatchObject(last('roleId'))
    await expect(
      shop.database`DELETE FROM identity.user_role WHERE merchant_id = ${other.merchantId} AND user_id = ${id}`,
    ).rejects.toMatchObject({ constraint_name: 'user_last_owner' })
    await expect(
      shop.database`UPDATE identity.user SET status = 'INACTIVE' WHERE merchant_id = ${other.merchantId} AND id = ${id}`,
    ).rejects.toMatchObject({ constraint_name: 'user_last_owner' })
  })

  test('stays after concurrent attempts of all owners to leave', async () => {
    const other = await shop.createMerchant()
    const session = await sessionAs(shop, other, 'Owner')
    const owners = await Promise.all(Array.from({ length: 6 }, () => createTeamMember(shop, other, 'Owner')))
    const ownerRole = await roleId(shop, other, 'Owner')
    const answers = await Promise.all(
      owners.map(({ id }, index) =>
        index % 2 === 0
          ? shop.call(other, 'deleteUser', { id }, { session })
          : shop.call(other, 'removeRole', { userId: id, roleId: ownerRole }, { session }),
      ),
    )
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(5)
  })

  test('stays when the last two owners leave in transactions that overlap', async () => {
    const other = await shop.createMerchant()
    const session = await sessionAs(shop, other, 'Owner')
    const one = await createTeamMember(shop, other, 'Owner')
    const two = await createTeamMember(shop, other, 'Owner')
    const outcomes = await overlap(
      shop.database,
      (sql) => changeUserStatus(sql, session, one.id, 'delete'),
      () => changeUserStatus(shop.database, session, two.id, 'delete'),
    )
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['changed', 'invalid'])
  })

  test('is deleted with the merchant', async () => {
    const other = await shop.createMerchant()
    await createTeamMember(shop, other, 'Owner')
    const users = () => shop.database`SELECT FROM identity.user WHERE merchant_id = ${other.merchantId}`
    expect(await users()).toHaveLength(1)
    await shop.database`DELETE FROM merchant.merchant WHERE id = ${other.merchantId}`
    expect(await users()).toEqual([])
  })
})

describe('a role', () => {
  test('that is built in can’t be changed', async () => {
    const id = await roleId(shop, merchant, 'Manager')
    const builtIn = { errors: [{ field: 'id', message: 'A built-in role stays as it is' }] }
    expect(await call('updateRole', { id, input: { permissions: ['orders:read'] } })).toMatchObject(builtIn)
    expect(await call('deleteRole', { id })).toMatchObject(builtIn)
  })

  test('that is assigned can’t be deleted, and its name is unique', async () => {
    const input = { name: 'Picker', permissions: ['orders:read'] }
    const { roleId: id } = dataOf(await call('createRole', { input }))
    expect(await call('createRole', { input: { ...input, name: 'picker' } })).toMatchObject({
      errors: [{ field: 'name', code: 'ALREADY_EXISTS' }],
    })
    const { userId } = dataOf(await call('createUser', { input: { email: 'p@example.com', roleIds: [id] } }))
    expect(await call('deleteRole', { id })).toMatchObject({
      errors: [{ field: 'id', message: 'Users have the role' }],
    })
    dataOf(await call('removeRole', { userId, roleId: id }))
    dataOf(await call('deleteRole', { id }))
  })

  test('that is built in gets new permissions', async () => {
    const { database } = shop
    const holders = () => database<{ name: string }[]>`
      SELECT name FROM identity.role
      WHERE merchant_id = ${merchant.merchantId} AND permissions @> '{moon:write}' ORDER BY name`
    await database`INSERT INTO merchant.permission (name, description) VALUES ('moon:write', 'Move the moon')`
    expect((await holders()).map(({ name }) => name)).toEqual(['Admin', 'Manager', 'Owner'])
    await database`DELETE FROM merchant.permission WHERE name = 'moon:write'`
    expect(await holders()).toEqual([])
  })
})
