import { adminRole } from '../session/types.ts'
import type { Metadata } from './types.ts'

/** Every role that the metadata names. All other roles have no permissions. */
export function metadataRoles(metadata: Metadata): ReadonlySet<string> {
  const tables = metadata.sources.flatMap((source) => source.tables)
  const functions = metadata.sources.flatMap((source) => source.functions ?? [])
  const logicalModels = metadata.sources.flatMap((source) => source.logical_models ?? [])
  const permissions = [
    ...logicalModels.flatMap(({ select_permissions: permissions = [] }) => permissions),
    ...tables.flatMap((table) => [
      ...(table.select_permissions ?? []),
      ...(table.insert_permissions ?? []),
      ...(table.update_permissions ?? []),
      ...(table.delete_permissions ?? []),
    ]),
    ...[...functions, ...(metadata.actions ?? []), ...(metadata.remote_schemas ?? [])].flatMap(
      (each) => each.permissions ?? [],
    ),
  ]
  return new Set([
    adminRole,
    ...permissions.map(({ role }) => role),
    ...(metadata.inherited_roles ?? []).map(({ role_name: role }) => role),
  ])
}
