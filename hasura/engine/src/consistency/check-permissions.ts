import type { JsonObject } from '../metadata/parse.ts'
import { displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import { parsePermissionExpression, presetProblem } from '../schema/permission-expression.ts'
import type { SourceModel } from '../schema/source-model.ts'
import type { FieldLookup } from './boolean-expression.ts'
import { type Permission, type PermissionKind, checkEach, permissionObject } from './metadata-object.ts'
import { type CheckedTable, type TrackedTable, withKept } from './tracked-tables.ts'

/** Keeps the permissions in which every name exists. */
export function checkPermissions(
  source: string,
  table: TrackedTable,
  model: SourceModel,
  lookup: FieldLookup,
): CheckedTable {
  const { metadata } = table
  const check = <Entry extends Permission>(
    kind: PermissionKind,
    permissions: readonly Entry[] | undefined,
  ) => {
    const roles = new Set<string>()
    return checkEach(
      permissions,
      (permission) => {
        const problem = roles.has(permission.role)
          ? `multiple definitions of the ${kind} permission`
          : permissionProblem(permission, table, model, lookup)
        roles.add(permission.role)
        return problem === undefined
          ? undefined
          : `in table "${displayName(metadata.table)}": in permission for role "${permission.role}": ${problem}`
      },
      (permission) => permissionObject(source, metadata.table, kind, permission),
    )
  }
  const inserts = check('insert', metadata.insert_permissions)
  const selects = check('select', metadata.select_permissions)
  const updates = check('update', metadata.update_permissions)
  const deletes = check('delete', metadata.delete_permissions)
  const kept = {
    insert_permissions: inserts.kept,
    select_permissions: selects.kept,
    update_permissions: updates.kept,
    delete_permissions: deletes.kept,
  }
  return withKept(
    table,
    kept,
    [inserts, selects, updates, deletes].flatMap(({ inconsistencies }) => inconsistencies),
  )
}

/** The parts of the four kinds of permission; a kind has some of them. */
interface PermissionParts {
  readonly columns?: '*' | readonly string[] | undefined
  readonly set?: JsonObject | undefined
  readonly filter?: JsonObject | undefined
  readonly check?: JsonObject | undefined
  readonly computed_fields?: readonly string[] | undefined
}

function permissionProblem(
  { permission }: Permission,
  table: TrackedTable,
  model: SourceModel,
  lookup: FieldLookup,
): string | undefined {
  const parts: PermissionParts = permission
  const { name } = table.catalog
  const tableModel = model.tables.get(qualifiedKey(name))
  const columns = [...(parts.columns === '*' ? [] : (parts.columns ?? [])), ...Object.keys(parts.set ?? {})]
  const notColumn = columns.find(
    (column) => tableModel?.columnsByName.has(column) !== true && lookup(name, column)?.kind !== 'column',
  )
  if (notColumn !== undefined) return notAColumn(notColumn, lookup(name, notColumn)?.kind)
  const notComputed = parts.computed_fields?.find((field) => lookup(name, field)?.kind !== 'computed-field')
  if (notComputed !== undefined) return `"${notComputed}" does not exist`
  if (!tableModel) return undefined
  for (const [column, value] of Object.entries(parts.set ?? {})) {
    const type = tableModel.columnsByName.get(column)?.type
    const problem = type && presetProblem(value, type)
    if (problem !== undefined) return problem
  }
  for (const expression of [parts.filter, parts.check]) {
    if (!expression) continue
    const parsed = parsePermissionExpression(expression, tableModel, model)
    if (!parsed.ok) return parsed.reason
  }
  return undefined
}

const notAColumn = (name: string, kind: string | undefined): string =>
  kind === undefined
    ? `"${name}" does not exist`
    : `expecting a database column; but, "${name}" is a ${kind.replace('-', ' ')}`
