import type { Catalog, CatalogFunction, FunctionArgument } from '../catalog/types.ts'
import { type QualifiedName, displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { ComputedField } from '../metadata/types.ts'
import { fieldNameProblem } from './check-relationships.ts'
import { becauseOf, checkEach, computedFieldObject } from './metadata-object.ts'
import {
  type CheckedTable,
  type TrackedTable,
  type TrackedTables,
  trackedTable,
  withKept,
} from './tracked-tables.ts'

/** Keeps the computed fields whose functions exist and fit. */
export function checkComputedFields(
  source: string,
  table: TrackedTable,
  tables: TrackedTables,
  catalog: Catalog,
): CheckedTable {
  const { metadata } = table
  const taken = new Set(
    [...(metadata.object_relationships ?? []), ...(metadata.array_relationships ?? [])].map(
      ({ name }) => name,
    ),
  )
  const fields = checkEach(
    metadata.computed_fields,
    (field) => {
      const problem = computedFieldProblem(field, table, tables, catalog)
      if (problem !== undefined) return problem
      if (taken.has(field.name)) return `conflicting definitions for field "${field.name}"`
      taken.add(field.name)
      return fieldNameProblem([field.name], table)
    },
    (field) => computedFieldObject(source, metadata.table, field),
  )
  return withKept(table, { computed_fields: fields.kept }, fields.inconsistencies)
}

function computedFieldProblem(
  field: ComputedField,
  table: TrackedTable,
  tables: TrackedTables,
  catalog: Catalog,
): string | undefined {
  const name = displayName(field.definition.function)
  const context = `in table "${displayName(table.metadata.table)}": in computed field "${field.name}": `
  const overloads = catalog.functions.get(qualifiedKey(field.definition.function)) ?? []
  const [fn] = overloads
  if (!fn) return `${context}no such function exists in source: "${name}"`
  if (overloads.length > 1) {
    return `${context}function "${name}" is overloaded. Overloaded functions are not supported`
  }
  const problems = functionProblems(field, fn, table.metadata.table)
  if (problems.length > 0) {
    return `${context}the computed field "${field.name}" cannot be added to table "${displayName(table.metadata.table)}" ${becauseOf(problems)}`
  }
  return fn.returnsSet && fn.returnsTable && !trackedTable(tables, fn.returnsTable)
    ? `table "${displayName(fn.returnsTable)}" is not tracked`
    : undefined
}

function functionProblems(
  field: ComputedField,
  fn: CatalogFunction,
  table: QualifiedName,
): readonly string[] {
  const name = displayName(fn.name)
  const problems: string[] = []
  if (fn.volatility === 'volatile') {
    problems.push(`the function "${name}" is of type VOLATILE; cannot be added as a computed field`)
  }
  if (fn.returnsSet && !fn.returnsTable) {
    problems.push(`the function "${name}" returning set of type "${fn.returns.name}" is not a table`)
  }
  problems.push(
    ...tableArgumentProblems(field, fn, table),
    ...sessionArgumentProblems(field.definition.session_argument, fn),
  )
  return problems
}

function tableArgumentProblems(
  field: ComputedField,
  fn: CatalogFunction,
  table: QualifiedName,
): readonly string[] {
  const named = field.definition.table_argument
  const argument = named === undefined ? fn.arguments[0] : fn.arguments.find((each) => each.name === named)
  if (!argument) {
    return [
      named === undefined
        ? `the function "${displayName(fn.name)}" has no input arguments`
        : `"${named}" is not an input argument of "${displayName(fn.name)}" function`,
    ]
  }
  return isRowOf(argument, table)
    ? []
    : [
        `${named === undefined ? 'first argument' : `argument "${named}"`} of the function "${displayName(fn.name)}" is not COMPOSITE type of table "${displayName(table)}"`,
      ]
}

const isRowOf = (argument: FunctionArgument, table: QualifiedName): boolean =>
  argument.table !== undefined && qualifiedKey(argument.table) === qualifiedKey(table)

function sessionArgumentProblems(session: string | undefined, fn: CatalogFunction): readonly string[] {
  if (session === undefined) return []
  const argument = fn.arguments.find((each) => each.name === session)
  if (!argument) return [`"${session}" is not an input argument of "${displayName(fn.name)}" function`]
  return argument.type.name === 'json'
    ? []
    : [`"${session}" argument of the function "${displayName(fn.name)}" is not of type JSON`]
}
