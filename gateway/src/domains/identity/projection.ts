import type { TenantPrincipal } from '@commerce-graph/auth-webhook'
import { ascending } from '../../projection/condition.ts'
import { equals, hasAll, idEquals, idFilter, searchIn } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const createdAt = { column: 'createdAt', type: 'timestamptz' } as const

const userList: ConnectionProjection = {
  projection: 'User',
  sortFields: {
    EMAIL: { column: 'email', type: 'citext' },
    CREATED_AT: createdAt,
    UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    status: equals('status', 'String'),
    roleId: idFilter((id) => ({ userRoles: { roleId: { _eq: id } } })),
    mfaEnabled: equals('mfaEnabled', 'Boolean'),
    searchQuery: searchIn({ name: 'String', email: 'citext' }),
  },
}

const roleList: ConnectionProjection = {
  projection: 'Role',
  sortFields: { NAME: { column: 'name', type: 'citext' }, CREATED_AT: createdAt },
  preset: { sortBy: 'CREATED_AT', direction: 'asc' },
  filters: {
    permission: { ...hasAll('permissions'), toVariable: (name) => [name] },
    searchQuery: searchIn({ name: 'citext' }),
  },
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
  visible: { merchant: { userId: { _is_null: false } }, customer: {} },
}

export const identity: DomainProjection = {
  queries: {
    viewer: {
      kind: 'principal',
      value: (principal) => ({
        ...subjectOf(principal),
        sessionId: principal.kind === 'key' ? null : principal.sessionId,
        permissions: [...principal.permissions].sort(),
        role: principal.sessionVariables['x-hasura-role'] ?? null,
        merchant: { id: principal.merchantId, plan: principal.plan, features: principal.features },
      }),
    },
    user: { kind: 'lookup', table: 'users', projection: 'User', by: { id: idEquals('id') } },
    users: { kind: 'connection', table: 'users', connection: userList },
    sessions: { kind: 'connection', table: 'sessions', connection: ownSessions },
    role: { kind: 'lookup', table: 'roles', projection: 'Role', by: { id: idEquals('id') } },
    roles: { kind: 'connection', table: 'roles', connection: roleList },
  },
  types: {
    User: {
      type: 'User',
      from: 'User',
      fields: {
        permissions: { kind: 'path', relationship: 'access', column: 'permissions' },
        roles: {
          kind: 'list',
          relationship: 'userRoles',
          through: 'role',
          orderBy: [ascending('createdAt'), ascending('roleId')],
        },
      },
    },
    Role: { type: 'Role', from: 'Role' },
    Session: { type: 'Session', from: 'Session' },
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
  }
}
