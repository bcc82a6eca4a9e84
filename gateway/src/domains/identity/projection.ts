import type { TenantPrincipal } from '@commerce-graph/auth-webhook'
import { ascending } from '../../projection/condition.ts'
import {
  equals,
  hasAll,
  idEquals,
  idFilter,
  type Filter,
  searchIn,
  statusFilters,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const createdAt = { column: 'created_at', type: 'timestamptz' } as const

const userList: ConnectionProjection = {
  projection: 'User',
  sortFields: {
    EMAIL: { column: 'email', type: 'citext' },
    CREATED_AT: createdAt,
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    roleId: idFilter((id) => ({ user_roles: { role_id: { _eq: id } } })),
    mfaEnabled: equals('mfa_enabled', 'Boolean'),
    ...updatedAtFilters,
    searchQuery: searchIn({ name: 'String', email: 'citext' }),
  },
}

const roleList: ConnectionProjection = {
  projection: 'Role',
  sortFields: { NAME: { column: 'name', type: 'citext' }, CREATED_AT: createdAt, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'asc' },
  filters: {
    permission: { ...hasAll('permissions'), toVariable: (name) => [name] },
    searchQuery: searchIn({ name: 'citext' }),
    ...updatedAtFilters,
  },
}

/** The address of a deleted user may be another user's. */
const ofUser: Filter = {
  condition: (email) => ({ email: { _eq: email('citext!') }, status: { _neq: 'DELETED' } }),
}

const sessions: ConnectionProjection = {
  projection: 'Session',
  sortFields: { CREATED_AT: createdAt },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {},
}

/** Those of the merchant's customers, which its people may see as well, are with their customers. */
const ownSessions: ConnectionProjection = {
  ...sessions,
  visible: { merchant: { user_id: { _is_null: false } }, customer: {}, guest: {} },
}

export const identity: DomainProjection = {
  queries: {
    viewer: {
      kind: 'principal',
      value: (principal) => ({
        ...subjectOf(principal),
        sessionId: 'sessionId' in principal ? principal.sessionId : null,
        permissions: [...principal.permissions].sort(),
        role: principal.sessionVariables['x-hasura-role'] ?? null,
        merchant: { id: principal.merchantId, plan: principal.plan, features: principal.features },
      }),
    },
    user: { kind: 'lookup', projection: 'User', by: { id: idEquals('id'), email: ofUser } },
    users: { kind: 'connection', connection: userList },
    sessions: { kind: 'connection', connection: ownSessions },
    role: {
      kind: 'lookup',
      projection: 'Role',
      by: { id: idEquals('id'), name: equals('name', 'citext') },
    },
    roles: { kind: 'connection', connection: roleList },
  },
  types: {
    User: {
      type: 'User',
      table: 'identity_user',
      fields: {
        permissions: { kind: 'path', relationship: 'access', column: 'permissions' },
        roles: {
          kind: 'list',
          relationship: 'user_roles',
          through: 'role',
          orderBy: [ascending('created_at'), ascending('role_id')],
        },
      },
    },
    Role: { type: 'Role', table: 'identity_role' },
    Session: { type: 'Session', table: 'identity_active_session' },
  },
  extensions: {
    Customer: { sessions: { kind: 'connection', relationship: 'sessions', connection: sessions } },
  },
}

function subjectOf(principal: TenantPrincipal) {
  switch (principal.kind) {
    case 'key':
      return { kind: 'KEY', id: principal.keyId }
    case 'user':
      return { kind: 'USER', id: principal.userId }
    case 'customer':
      return { kind: 'CUSTOMER', id: principal.customerId }
    case 'guest':
      return { kind: 'GUEST', id: principal.keyId }
  }
}
