import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import { type UserEvent, userTransitions } from './user-machine.ts'
import * as identity from '../sql/generated/identity.ts'

/** Why SQL refused what was to be done with a user or a role. */
export type IdentityRefusal = identity.Refusal

export type IdentityOutcome = identity.UpdateUserAnswer

/** The caller of a change. It can't grant more than its own permissions. */
export interface Grantor {
  readonly merchantId: MerchantId
  readonly permissions: ReadonlySet<string>
}

const own = ({ permissions }: Grantor): string[] => [...permissions]

/** Invites a user, who is INACTIVE until the invitation is accepted. */
export const createUser = async (
  sql: Queryable,
  grantor: Grantor,
  user: {
    readonly email: string
    readonly name: string | null
    readonly phone: string | null
    readonly roleIds: readonly string[]
  },
): Promise<IdentityOutcome> =>
  identity.createUser(sql, {
    merchantId: grantor.merchantId,
    own: own(grantor),
    email: user.email,
    name: user.name,
    phone: user.phone,
    roleIds: user.roleIds,
  })

/** @param changes what is absent stays */
export const updateUser = async (
  database: Database,
  grantor: Grantor,
  id: string,
  changes: { readonly email?: string; readonly name?: string; readonly phone?: string | null },
): Promise<IdentityOutcome> =>
  identity.updateUser(database, { merchantId: grantor.merchantId, own: own(grantor), id, changes })

export async function changeUserStatus(
  database: Queryable,
  grantor: Grantor,
  id: string,
  event: Exclude<UserEvent, 'join'>,
): Promise<IdentityOutcome> {
  const { from, to } = userTransitions[event]
  return identity.changeUserStatus(database, {
    merchantId: grantor.merchantId,
    own: own(grantor),
    id,
    from,
    to,
  })
}

/** @param held whether the user is to have the role afterwards */
export const setRole = async (
  database: Database,
  grantor: Grantor,
  { userId, roleId }: { readonly userId: string; readonly roleId: string },
  held: boolean,
): Promise<IdentityOutcome> =>
  identity.setRole(database, {
    merchantId: grantor.merchantId,
    own: own(grantor),
    userId,
    roleId,
    held,
  })

export const createRole = async (
  database: Database,
  grantor: Grantor,
  role: {
    readonly name: string
    readonly description: string | null
    readonly permissions: readonly string[]
  },
): Promise<IdentityOutcome> =>
  identity.createRole(database, {
    merchantId: grantor.merchantId,
    own: own(grantor),
    name: role.name,
    description: role.description,
    permissions: role.permissions,
  })

/** @param changes what is absent stays */
export const updateRole = async (
  database: Database,
  grantor: Grantor,
  id: string,
  changes: {
    readonly name?: string
    readonly description?: string | null
    readonly permissions?: readonly string[]
  },
): Promise<IdentityOutcome> =>
  identity.updateRole(database, { merchantId: grantor.merchantId, own: own(grantor), id, changes })

export const deleteRole = async (
  database: Database,
  grantor: Grantor,
  id: string,
): Promise<IdentityOutcome> =>
  identity.deleteRole(database, { merchantId: grantor.merchantId, own: own(grantor), id })
