import { atLeast, atMost, equals, idEquals, toUuid } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const entries: ConnectionProjection = {
  projection: 'AuditEntry',
  sortFields: { CREATED_AT: { column: 'createdAt', type: 'timestamptz' } },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    actorKind: equals('actorKind', 'String'),
    actorId: idEquals('actorId'),
    clientAddress: equals('clientAddress', 'String'),
    requestId: equals('requestId', 'String'),
    operation: equals('operation', 'String'),
    targetId: {
      condition: (value) => ({ targetIds: { _contains: value('[uuid!]!') } }),
      toVariable: (id) => [toUuid(id)],
    },
    outcome: equals('outcome', 'String'),
    startDate: atLeast('createdAt', 'timestamptz'),
    endDate: atMost('createdAt', 'timestamptz'),
  },
}

export const audit: DomainProjection = {
  queries: { auditEntries: { kind: 'connection', table: 'auditEntries', connection: entries } },
  types: { AuditEntry: { type: 'AuditEntry', from: 'AuditEntry' } },
}
