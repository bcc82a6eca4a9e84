import type { Session } from '../action/session.ts'
import { found, type TestMerchant, type TestShop } from './test-shop.ts'

let users = 0

/** A user who has accepted the invitation, with a built-in role. */
export async function createTeamMember(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  role: 'Owner' | 'Admin' | 'Manager' | 'Support' | 'Read-only',
  status = 'ACTIVE',
): Promise<{ readonly id: string; readonly email: string }> {
  users += 1
  const email = `user${users}@example.com`
  const [user] = await database<{ id: string; email: string }[]>`
    INSERT INTO identity.user (merchant_id, email, name, status) VALUES (${merchantId}, ${email}, 'Grace', ${status})
    RETURNING id, email`
  await database`
    INSERT INTO identity.user_role (merchant_id, user_id, role_id)
    SELECT ${merchantId}, ${found(user).id}, id FROM identity.role WHERE merchant_id = ${merchantId} AND name = ${role}`
  return found(user)
}

export async function roleId(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  name: string,
): Promise<string> {
  const [role] = await database<{ id: string }[]>`
    SELECT id FROM identity.role WHERE merchant_id = ${merchantId} AND name = ${name}`
  return found(role).id
}

/** A session with the permissions of a built-in role. */
export async function sessionAs(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  role: string,
): Promise<Session> {
  const [row] = await database<{ permissions: string[] }[]>`
    SELECT permissions FROM identity.role WHERE merchant_id = ${merchantId} AND name = ${role}`
  return { role: 'merchant', merchantId, permissions: new Set(found(row).permissions) }
}
