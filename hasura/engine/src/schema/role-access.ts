import type { JsonObject } from '../metadata/types.ts'
import { combinedSelectAccess } from './combined-select-access.ts'
import {
  type RoleParents,
  type WriteKind,
  roleAndAncestors,
  writePermission,
} from './inherited-permissions.ts'
import { parsePermissionExpression, parsePreset } from './permission-expression.ts'
import { type Predicate, always, permissionOf } from './predicate.ts'
import type { SourceModel, TableModel } from './source-model.ts'
import type { Masks, TableAccess, SelectAccess, RoleAccess, Preset } from './table-access.ts'

const noMasks: Masks = { columns: new Map(), computedFields: new Map() }

export interface RoleAccessOptions {
  readonly role: string
  /** Whether permissions with `backend_only` apply. */
  readonly backendOnly: boolean
  /** Without explicit permissions, every role that may read a function's table may call it in the query root. */
  readonly inferFunctionPermissions: boolean
  readonly parents: RoleParents
  readonly mayIntrospect: boolean
}

export const adminRole = 'admin'

/** Reads a role's permissions, for each table at its first use. */
export function createRoleAccess(source: SourceModel, options: RoleAccessOptions): RoleAccess {
  const isAdmin = options.role === adminRole
  const roles = roleAndAncestors(options.role, options.parents)
  const known = new Map<string, TableAccess>()
  const tableAccess = (table: TableModel): TableAccess => {
    const found = known.get(table.key)
    if (found !== undefined) return found
    const access = isAdmin ? adminAccess(table) : roleAccess(table, source, options)
    known.set(table.key, access)
    return access
  }
  return {
    role: options.role,
    isAdmin,
    mayIntrospect: options.mayIntrospect,
    table: tableAccess,
    mayCall: ({ permissions }, exposedAs) =>
      isAdmin ||
      (permissions ?? []).some(({ role }) => roles.has(role)) ||
      (options.inferFunctionPermissions && exposedAs === 'query'),
    mayRun: ({ permissions }) => isAdmin || (permissions ?? []).some(({ role }) => roles.has(role)),
  }
}

const allRootFields: ReadonlySet<string> = new Set([
  'select',
  'select_by_pk',
  'select_aggregate',
  'select_stream',
])

function adminAccess(table: TableModel): TableAccess {
  const columns = new Set(table.columnsByName.keys())
  const writable = writableColumns(table)
  const { insertable, updatable, deletable } = table.catalog
  return {
    select: {
      columns,
      computedFields: new Set(table.computedFields.keys()),
      filter: always,
      masks: noMasks,
      limit: undefined,
      aggregations: true,
      queryFields: allRootFields,
      subscriptionFields: allRootFields,
    },
    insert: insertable ? { columns: writable, check: always, presets: [] } : undefined,
    update: updatable ? { columns: writable, filter: always, check: always, presets: [] } : undefined,
    delete: deletable ? { filter: always } : undefined,
  }
}

const writableColumns = (table: TableModel): ReadonlySet<string> =>
  new Set([...table.columnsByName.values()].filter(({ writable }) => writable).map(({ name }) => name))

function roleAccess(
  table: TableModel,
  source: SourceModel,
  { role, backendOnly, parents }: RoleAccessOptions,
): TableAccess {
  const { metadata, catalog } = table
  const predicate = (expression: JsonObject | undefined): Predicate =>
    permissionPredicate(expression, table, source)
  const writing = <Kind extends WriteKind>(kind: Kind, possible: boolean) => {
    const found = possible ? writePermission(metadata, kind, role, parents) : undefined
    const permission = found?.kind === 'permission' ? found.permission : undefined
    return backendOnly || permission?.backend_only !== true ? permission : undefined
  }
  const insert = writing('insert', catalog.insertable)
  const update = writing('update', catalog.updatable)
  const remove = writing('delete', catalog.deletable)
  return {
    select: roleSelectAccess(table, source, role, parents),
    insert: insert && {
      columns: inputColumns(table, insert.columns ?? '*', insert.set),
      check: predicate(insert.check),
      presets: presets(table, insert.set),
      validatedBy: insert.validate_input,
    },
    update: update && {
      columns: inputColumns(table, update.columns, update.set),
      filter: predicate(update.filter),
      check: predicate(update.check),
      presets: presets(table, update.set),
      validatedBy: update.validate_input,
    },
    delete: remove && { filter: predicate(remove.filter), validatedBy: remove.validate_input },
  }
}

function permissionPredicate(
  expression: JsonObject | undefined,
  table: TableModel,
  source: SourceModel,
): Predicate {
  if (expression === undefined) return always
  const parsed = parsePermissionExpression(expression, table, source)
  // The metadata was checked when it was loaded. If that check and this one ever disagree, the permission admits no
  // row.
  return parsed.ok ? permissionOf(parsed.predicate) : { kind: 'constant', value: false }
}

/** A role's own permission, or the union of its parents' permissions. */
function roleSelectAccess(
  table: TableModel,
  source: SourceModel,
  role: string,
  parents: RoleParents,
): SelectAccess | undefined {
  const own = table.metadata.select_permissions?.find((entry) => entry.role === role)?.permission
  if (own !== undefined)
    return {
      columns: selectedColumns(table, own.columns, new Set(table.columnsByName.keys())),
      computedFields: new Set(own.computed_fields ?? []),
      filter: permissionPredicate(own.filter, table, source),
      masks: noMasks,
      limit: own.limit,
      aggregations: own.allow_aggregations === true,
      queryFields: rootFields(own.query_root_fields),
      subscriptionFields: rootFields(own.subscription_root_fields),
    }
  const inherited = (parents.get(role) ?? [])
    .map((parent) => roleSelectAccess(table, source, parent, parents))
    .filter((access) => access !== undefined)
  return inherited.length < 2 ? inherited[0] : combinedSelectAccess(inherited)
}

const rootFields = (names: readonly string[] | undefined): ReadonlySet<string> =>
  names === undefined ? allRootFields : new Set(names)

const selectedColumns = (
  table: TableModel,
  columns: '*' | readonly string[],
  all: ReadonlySet<string>,
): ReadonlySet<string> =>
  columns === '*' ? all : new Set(columns.filter((name) => table.columnsByName.has(name) && all.has(name)))

/** The columns among a role's inputs. Preset columns are not: only the server sets them. */
function inputColumns(
  table: TableModel,
  columns: '*' | readonly string[],
  set: JsonObject | undefined,
): ReadonlySet<string> {
  const chosen = selectedColumns(table, columns, writableColumns(table))
  return new Set([...chosen].filter((name) => set?.[name] === undefined))
}

const presets = (table: TableModel, set: JsonObject | undefined): readonly Preset[] =>
  Object.entries(set ?? {}).flatMap(([name, value]) => {
    const column = table.columnsByName.get(name)
    return column === undefined ? [] : [{ column: name, value: parsePreset(value, column.type) }]
  })
