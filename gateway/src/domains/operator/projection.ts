import { equals, idEquals } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const deadLetters: ConnectionProjection = {
  projection: 'DeadLetter',
  sortFields: { FAILED_AT: { column: 'failed_at', type: 'timestamptz' } },
  preset: { sortBy: 'FAILED_AT', direction: 'desc' },
  filters: {
    kind: equals('kind', 'String'),
    name: equals('name', 'String'),
    merchantId: idEquals('merchant_id'),
  },
}

export const operator: DomainProjection = {
  queries: { deadLetters: { kind: 'connection', connection: deadLetters } },
  types: { DeadLetter: { type: 'DeadLetter', table: 'operator_dead_letter' } },
}
