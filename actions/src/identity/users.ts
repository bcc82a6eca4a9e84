import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome, type Queryable } from '../database.ts'
import { type UserEvent, type UserStatus, userTransitions } from './user-machine.ts'

/** Why SQL refused what was to be done with a user or a role. */
export interface IdentityRefusal {
  readonly field: string
  readonly reason:
    'unknown_role' | 'unknown_permission' | 'beyond_own' | 'taken' | 'last_owner' | 'built_in' | 'in_use'
  /** What the caller doesn't have, or what isn't there. */
  readonly permission: string | null
}

export type IdentityOutcome =
  | { readonly outcome: 'changed'; readonly id: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: UserStatus }
  | { readonly outcome: 'invalid'; readonly refusals: readonly IdentityRefusal[] }

/** Who changes something, and so what may be granted at most. */
export interface Grantor {
  readonly merchantId: MerchantId
  readonly permissions: ReadonlySet<string>
}

type Rows = readonly { readonly outcome: IdentityOutcome }[]

const own = ({ permissions }: Grantor): string[] => [...permissions]

/** Invites a user, who is INACTIVE until the invitation is accepted. */
export async function createUser(
  sql: Queryable,
  grantor: Grantor,
  user: {
    readonly email: string
    readonly name: string | null
    readonly phone: string | null
    readonly roleIds: readonly string[]
  },
): Promise<IdentityOutcome> {
  return onlyOutcome(
    await sql<Rows>`
      SELECT identity.create_user(
        ${grantor.merchantId}, ${own(grantor)}, ${user.email}, ${user.name}, ${user.phone}, ${[...user.roleIds]}::uuid[]
      ) AS outcome`,
  )
}

/** @param changes what is absent stays */
export async function updateUser(
  database: Database,
  grantor: Grantor,
  id: string,
  changes: { readonly email?: string; readonly name?: string; readonly phone?: string | null },
): Promise<IdentityOutcome> {
  return onlyOutcome(
    await database<Rows>`
      SELECT identity.update_user(${grantor.merchantId}, ${own(grantor)}, ${id}, ${database.json(changes)}) AS outcome`,
  )
}

export async function changeUserStatus(
  database: Database,
  grantor: Grantor,
  id: string,
  event: Exclude<UserEvent, 'join'>,
): Promise<IdentityOutcome> {
  const { from, to } = userTransitions[event]
  return onlyOutcome(
    await database<Rows>`
      SELECT identity.change_user_status(
        ${grantor.merchantId}, ${own(grantor)}, ${id}, ${from as string[]}, ${to}
      ) AS outcome`,
  )
}

/** @param held whether the user is to have the role afterwards */
export async function setRole(
  database: Database,
  grantor: Grantor,
  { userId, roleId }: { readonly userId: string; readonly roleId: string },
  held: boolean,
): Promise<IdentityOutcome> {
  return onlyOutcome(
    await database<Rows>`
      SELECT identity.set_role(${grantor.merchantId}, ${own(grantor)}, ${userId}, ${roleId}, ${held}) AS outcome`,
  )
}

export async function createRole(
  database: Database,
  grantor: Grantor,
  role: {
    readonly name: string
    readonly description: string | null
    readonly permissions: readonly string[]
  },
): Promise<IdentityOutcome> {
  return onlyOutcome(
    await database<Rows>`
      SELECT identity.create_role(
        ${grantor.merchantId}, ${own(grantor)}, ${role.name}, ${role.description}, ${[...role.permissions]}::text[]
      ) AS outcome`,
  )
}

/** @param changes what is absent stays */
export async function updateRole(
  database: Database,
  grantor: Grantor,
  id: string,
  changes: {
    readonly name?: string
    readonly description?: string | null
    readonly permissions?: readonly string[]
  },
): Promise<IdentityOutcome> {
  return onlyOutcome(
    await database<Rows>`
      SELECT identity.update_role(${grantor.merchantId}, ${own(grantor)}, ${id}, ${database.json(changes)}) AS outcome`,
  )
}

export async function deleteRole(database: Database, grantor: Grantor, id: string): Promise<IdentityOutcome> {
  return onlyOutcome(
    await database<Rows>`
      SELECT identity.delete_role(${grantor.merchantId}, ${own(grantor)}, ${id}) AS outcome`,
  )
}
