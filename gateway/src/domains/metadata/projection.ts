import { equals, idEquals } from '../../projection/filter.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const definitions: ConnectionProjection = {
  projection: 'MetadataDefinition',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: {
    ownerType: equals('owner_type', 'String'),
    namespace: equals('namespace', 'String'),
    key: equals('key', 'String'),
    private: equals('private', 'Boolean'),
    isAttribute: equals('is_attribute', 'Boolean'),
    ...updatedAtFilters,
  },
}

export const metadata: DomainProjection = {
  queries: {
    metadataDefinition: { kind: 'lookup', projection: 'MetadataDefinition', by: { id: idEquals('id') } },
    metadataDefinitions: { kind: 'connection', connection: definitions },
  },
  types: { MetadataDefinition: { type: 'MetadataDefinition', table: 'metadata_definition' } },
}
