import { atLeast, atMost, equals, idEquals, toUuid } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const entries: ConnectionProjection = {
  projection: 'AuditEntry',
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' } },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    actorKind: equals('actor_kind', 'String'),
    actorId: idEquals('actor_id'),
    clientAddress: equals('client_address', 'String'),
    requestId: equals('request_id', 'String'),
    operation: equals('operation', 'String'),
    targetId: {
      condition: (value) => ({ target_ids: { _contains: value('[uuid!]!') } }),
      toVariable: (id) => [toUuid(id)],
    },
    outcome: equals('outcome', 'String'),
    startDate: atLeast('created_at', 'timestamptz'),
    endDate: atMost('created_at', 'timestamptz'),
  },
}

export const audit: DomainProjection = {
  queries: { auditEntries: { kind: 'connection', connection: entries } },
  types: { AuditEntry: { type: 'AuditEntry', table: 'audit_log' } },
}
