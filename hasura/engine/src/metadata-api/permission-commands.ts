import { z } from 'zod'
import { type Permission, type PermissionKind, permissionObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { editTable } from '../metadata/edit-metadata.ts'
import { nonEmptyText, record } from '../metadata/parse.ts'
import {
  deletePermissionDefinition,
  insertPermissionDefinition,
  selectPermissionDefinition,
  updatePermissionDefinition,
} from '../metadata/permission.ts'
import { displayName } from '../metadata/qualified-name.ts'
import type { TableMetadata } from '../metadata/types.ts'
import { adminRole } from '../session/types.ts'
import { type Command, edit, requireTable, tableArguments } from './command.ts'

type PermissionList = `${PermissionKind}_permissions`

const listOf = (kind: PermissionKind): PermissionList => `${kind}_permissions`

const permissionOf = (table: TableMetadata, kind: PermissionKind, role: string): Permission | undefined =>
  permissionsOf(table, kind).find((each) => each.role === role)

const permissionsOf = (table: TableMetadata, kind: PermissionKind): readonly Permission[] =>
  table[listOf(kind)] ?? []

const createPermission = (kind: PermissionKind, definition: z.ZodType<Permission['permission']>): Command =>
  edit(
    record({ ...tableArguments, role: nonEmptyText, permission: definition, comment: z.string().optional() }),
    async ({ source, table, ...permission }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      const entry = requireTable(metadata, source, table)
      if (permission.role === adminRole || permissionOf(entry, kind, permission.role)) {
        throw new HasuraError(
          'already-exists',
          `${kind} permission already defined on table "${displayName(table)}" with role "${permission.role}"`,
        )
      }
      await draft.change(
        editTable(metadata, source, table, (each) => ({
          ...each,
          [listOf(kind)]: [...permissionsOf(each, kind), permission],
        })),
        permissionObject(source, table, kind, permission as Permission),
      )
    },
  )

const dropPermission = (kind: PermissionKind): Command =>
  edit(record({ ...tableArguments, role: nonEmptyText }), async ({ source, table, role }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    if (!permissionOf(requireTable(metadata, source, table), kind, role)) {
      throw new HasuraError(
        'permission-denied',
        `${kind} permission on "${displayName(table)}" for role "${role}" does not exist`,
      )
    }
    await draft.accept(
      editTable(metadata, source, table, (each) => ({
        ...each,
        [listOf(kind)]: permissionsOf(each, kind).filter((permission) => permission.role !== role),
      })),
    )
  })

const setPermissionComment: Command = edit(
  record({
    ...tableArguments,
    role: nonEmptyText,
    type: z.enum(['insert', 'select', 'update', 'delete']),
    comment: z.string().optional(),
  }),
  async ({ source, table, role, type, comment }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    if (!permissionOf(requireTable(metadata, source, table), type, role)) {
      throw new HasuraError(
        'permission-denied',
        `${type} permission on "${displayName(table)}" for role "${role}" does not exist`,
      )
    }
    await draft.accept(
      editTable(metadata, source, table, (each) => ({
        ...each,
        [listOf(type)]: permissionsOf(each, type).map((permission) =>
          permission.role === role ? { ...permission, comment } : permission,
        ),
      })),
    )
  },
)

export const permissionCommands: Readonly<Record<string, Command>> = {
  pg_create_insert_permission: createPermission('insert', insertPermissionDefinition),
  pg_create_select_permission: createPermission('select', selectPermissionDefinition),
  pg_create_update_permission: createPermission('update', updatePermissionDefinition),
  pg_create_delete_permission: createPermission('delete', deletePermissionDefinition),
  pg_drop_insert_permission: dropPermission('insert'),
  pg_drop_select_permission: dropPermission('select'),
  pg_drop_update_permission: dropPermission('update'),
  pg_drop_delete_permission: dropPermission('delete'),
  pg_set_permission_comment: setPermissionComment,
}
