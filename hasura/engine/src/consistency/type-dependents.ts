import type { Json, JsonObject } from '../metadata/parse.ts'
import { type QualifiedName, displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { TableMetadata } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { type FieldLookup, referencesOf } from './boolean-expression.ts'
import type { Permission, PermissionKind } from './metadata-object.ts'
import { fieldLookup, trackedTables } from './tracked-tables.ts'

const isSessionVariable = (value: Json): boolean => typeof value === 'string' && /^x-hasura-/i.test(value)

/** A literal value has the column's type. A session variable is converted to any type that the column has. */
function isStatic(operand: Json | undefined): boolean {
  if (operand === undefined || operand === null || isSessionVariable(operand)) return false
  if (typeof operand !== 'object') return true
  return Object.values(operand).some((value: Json) => value !== null && !isSessionVariable(value))
}

interface PermissionParts {
  readonly filter?: JsonObject | undefined
  readonly check?: JsonObject | undefined
  readonly set?: JsonObject | undefined
}

/** Permissions that compare the column with a literal, or preset it: they prevent a change of its type. */
export function typeDependents(snapshot: Snapshot, table: QualifiedName, column: string): readonly string[] {
  const names = snapshot.metadata.sources.flatMap((source) => {
    const lookup = fieldLookup(trackedTables(source.tables, snapshot.catalog), snapshot.catalog)
    return source.tables.flatMap((owner) =>
      permissionsOf(owner)
        .filter(({ permission }) => dependsOnType(permission, owner.table, table, column, lookup))
        .map(
          ({ kind, permission }) =>
            `permission ${displayName(owner.table)}.${permission.role}.${kind} in source "${source.name}"`,
        ),
    )
  })
  return names.toSorted()
}

const permissionsOf = (
  table: TableMetadata,
): readonly { readonly kind: PermissionKind; readonly permission: Permission }[] => [
  ...(table.insert_permissions ?? []).map((permission) => ({ kind: 'insert', permission }) as const),
  ...(table.select_permissions ?? []).map((permission) => ({ kind: 'select', permission }) as const),
  ...(table.update_permissions ?? []).map((permission) => ({ kind: 'update', permission }) as const),
  ...(table.delete_permissions ?? []).map((permission) => ({ kind: 'delete', permission }) as const),
]

function dependsOnType(
  { permission }: Permission,
  owner: QualifiedName,
  table: QualifiedName,
  column: string,
  lookup: FieldLookup,
): boolean {
  const parts: PermissionParts = permission
  if (qualifiedKey(owner) === qualifiedKey(table) && isStatic(parts.set?.[column])) return true
  return [parts.filter, parts.check].some((expression) =>
    referencesOf(expression ?? {}, owner, lookup).fields.some(
      (reference) =>
        reference.name === column &&
        qualifiedKey(reference.table) === qualifiedKey(table) &&
        isStatic(reference.operand),
    ),
  )
}
