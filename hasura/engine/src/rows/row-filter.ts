import { HasuraError } from '../hasura-error.ts'
import type { JsonObject } from '../metadata/parse.ts'
import { displayName } from '../metadata/qualified-name.ts'
import type { PlanScope } from '../plan/plan-scope.ts'
import { readableColumn, readableComputedField } from '../plan/readable.ts'
import { type ExpressionReader, parseBooleanExpression } from '../schema/boolean-expression.ts'
import type { Predicate } from '../schema/predicate.ts'
import type { TableModel } from '../schema/source-model.ts'
import { relatedAccess, requireAccess, requireColumn } from './row-scope.ts'
import { listValue, scalarValue } from './row-value.ts'

/**
 * Reads the `where` of a command. It may use only columns that the role may read, and of other tables only rows that
 * the role may see. Throws HasuraError.
 */
export const rowFilter = (where: JsonObject, table: TableModel, scope: PlanScope): Predicate =>
  parseBooleanExpression(where, table, scope.source, clientReader(scope))

const clientReader = (scope: PlanScope): ExpressionReader => ({
  column: (column, table) => {
    requireColumn('select', column.name, requireAccess('select', table, scope).columns, scope)
    return readableColumn(column, table, scope)
  },
  computedField: (field, call, table) => {
    if (!requireAccess('select', table, scope).computedFields.has(field.name))
      throw new HasuraError(
        'permission-denied',
        `role "${scope.access.role}" does not have permission to select computed field "${field.name}"`,
      )
    return readableComputedField(field, call, table, scope)
  },
  otherRows: (table, by) => {
    if (by === undefined) return requireAccess('select', table, scope).filter
    if (!('returns' in by)) return relatedAccess(by.name, table, scope).filter
    const found = scope.access.table(table).select
    if (found !== undefined) return found.filter
    throw new HasuraError(
      'permission-denied',
      `role "${scope.access.role}" does not have permission to read computed field "${by.name}"; no permission on table "${displayName(table.name)}"`,
    )
  },
  scalar: scalarValue,
  list: listValue,
})
