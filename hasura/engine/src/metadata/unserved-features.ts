import type { Metadata, TableMetadata } from './types.ts'

const tableParts = ['remote_relationships'] as const satisfies readonly (keyof TableMetadata)[]
const parts = ['remote_schemas'] as const satisfies readonly (keyof Metadata)[]

/**
 * Parts of the metadata that the engine keeps and exports but does not act on yet. Whoever starts it is told,
 * so that nobody waits for an event that is never delivered.
 */
export const unservedFeatures = (metadata: Metadata): readonly string[] => {
  const tables = metadata.sources.flatMap((source) => source.tables)
  return [
    ...tableParts.filter((part) => tables.some((table) => (table[part]?.length ?? 0) > 0)),
    ...(metadata.sources.some(({ customization }) => customization?.root_fields?.namespace !== undefined)
      ? ['root_fields.namespace']
      : []),
    ...(tables.some(isInputValidated) ? ['validate_input'] : []),
    ...parts.filter((part) => (metadata[part]?.length ?? 0) > 0),
  ]
}

const isInputValidated = (table: TableMetadata): boolean =>
  [
    ...(table.insert_permissions ?? []),
    ...(table.update_permissions ?? []),
    ...(table.delete_permissions ?? []),
  ].some(({ permission }) => permission.validate_input !== undefined)
