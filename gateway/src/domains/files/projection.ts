import { ascending } from '../../projection/condition.ts'
import { equals, idEquals, searchIn, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const allFiles: ConnectionProjection = {
  projection: 'File',
  sortFields: {
    FILE_NAME: { column: 'file_name', type: 'String' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    purpose: equals('purpose', 'String'),
    ...statusFilters(),
    ...updatedAtFilters,
    searchQuery: searchIn({ file_name: 'String' }),
  },
}

export const files: DomainProjection = {
  queries: {
    file: { kind: 'lookup', projection: 'File', by: { id: idEquals('id') } },
    files: { kind: 'connection', connection: allFiles },
  },
  types: {
    File: {
      type: 'File',
      table: 'files_file',
      fields: { sizes: { kind: 'list', relationship: 'sizes', orderBy: [ascending('width')] } },
    },
    ImageSize: { type: 'ImageSize', table: 'files_image_size' },
  },
}
