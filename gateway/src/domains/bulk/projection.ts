import { equals, idEquals, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const imports: ConnectionProjection = {
  projection: 'Import',
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' }, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    ...updatedAtFilters,
  },
}

const errors: ConnectionProjection = {
  projection: 'ImportError',
  sortFields: { LINE: { column: 'line', type: 'Int' } },
  preset: { sortBy: 'LINE', direction: 'asc' },
  filters: {},
}

const exports: ConnectionProjection = {
  projection: 'Export',
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' }, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    ...updatedAtFilters,
    kind: equals('kind', 'String'),
  },
}

const exportById = { kind: 'lookup', projection: 'Export', by: { id: idEquals('id') } } as const

const importById = { kind: 'lookup', projection: 'Import', by: { id: idEquals('id') } } as const

export const bulk: DomainProjection = {
  queries: {
    export: exportById,
    exports: { kind: 'connection', connection: exports },
    import: importById,
    imports: { kind: 'connection', connection: imports },
  },
  subscriptions: { export: exportById, import: importById },
  types: {
    Export: { type: 'Export', table: 'bulk_export' },
    Import: {
      type: 'Import',
      table: 'bulk_import',
      fields: { errors: { kind: 'connection', relationship: 'errors', connection: errors } },
    },
    ImportError: { type: 'ImportError', table: 'bulk_import_error' },
  },
}
