import type { ValidateInput } from '../metadata/types.ts'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import type { TableModel } from '../schema/source-model.ts'
import { jsonOf, jsonOfObject } from './input-json.ts'
import type { InputValue, JsonValue, ObjectValue } from './input-value.ts'
import { relatedTable } from './plan-scope.ts'
import type { SelectScope } from './select-scope.ts'
import { itemsOf, member, objectOf } from './plan-value.ts'

/** A request to a validating service before a mutation runs. It holds this request's values. */
export interface InputValidation {
  readonly service: ValidateInput
  /** The service receives it as `data.input`. */
  readonly input: readonly JsonValue[]
}

/**
 * The validations that the role's permissions require for a mutation's arguments, in the order of their requests. A
 * nested insert validates its own table first, then each further table once, with all its rows.
 * https://hasura.io/docs/latest/schema/postgres/input-validations/
 */
export function inputValidations(
  meaning: FieldMeaning,
  given: ObjectValue,
  scope: SelectScope,
): readonly InputValidation[] {
  switch (meaning.kind) {
    case 'insert': {
      const single = member(given, 'object')
      const found: InsertsByTable = new Map()
      collectInserts(rowsOf(single ?? member(given, 'objects')), meaning.table, scope, found)
      return [...found.values()]
    }
    case 'update':
    case 'update-by-key':
      return validation(scope.access.table(meaning.table).update?.validatedBy, [jsonOfObject(given)])
    case 'update-many':
      return validation(
        scope.access.table(meaning.table).update?.validatedBy,
        itemsOf(member(given, 'updates')).map(jsonOf),
      )
    case 'delete':
      return validation(scope.access.table(meaning.table).delete?.validatedBy, [jsonOfObject(given)])
    case 'delete-by-key':
      return validation(scope.access.table(meaning.table).delete?.validatedBy, [
        { pk_columns: jsonOfObject(given) },
      ])
    default:
      return []
  }
}

const validation = (
  service: ValidateInput | undefined,
  input: readonly JsonValue[],
): readonly InputValidation[] => (service === undefined ? [] : [{ service, input }])

type InsertsByTable = Map<string, { readonly service: ValidateInput; readonly input: JsonValue[] }>

function collectInserts(
  rows: readonly ObjectValue[],
  table: TableModel,
  scope: SelectScope,
  found: InsertsByTable,
): void {
  const service = scope.access.table(table).insert?.validatedBy
  if (service !== undefined) {
    const known = found.get(table.key) ?? { service, input: [] }
    for (const row of rows) known.input.push(rowJson(row, table, scope))
    found.set(table.key, known)
  }
  for (const row of rows)
    for (const { data, target } of relatedRows(row, table, scope))
      collectInserts(rowsOf(data), target, scope, found)
}

/** One row, or a list of them. */
const rowsOf = (input: InputValue | undefined): readonly ObjectValue[] =>
  (input?.kind === 'object' ? [input] : itemsOf(input)).map(objectOf)

/** A row by its Postgres columns, with its nested rows in their places. */
function rowJson(row: ObjectValue, table: TableModel, scope: SelectScope): JsonValue {
  const columns = [...row.fields].flatMap(([name, value]): [string, JsonValue][] => {
    const column = table.columns.get(name)
    return column === undefined ? [] : [[column.name, jsonOf(value)]]
  })
  const related = relatedRows(row, table, scope).map(({ name, data, target }): [string, JsonValue] => {
    const nested = (item: InputValue): JsonValue => rowJson(objectOf(item), target, scope)
    return [name, { data: data.kind === 'list' ? data.items.map(nested) : nested(data) }]
  })
  return Object.fromEntries([...columns, ...related])
}

interface RelatedRows {
  readonly name: string
  readonly data: InputValue
  readonly target: TableModel
}

const relatedRows = (row: ObjectValue, table: TableModel, scope: SelectScope): readonly RelatedRows[] =>
  [...row.fields].flatMap(([name, input]) => {
    const relationship = table.relationships.get(name)
    const data = input.kind === 'null' ? undefined : relationship && member(objectOf(input), 'data')
    if (relationship === undefined || data === undefined) return []
    return [{ name: relationship.name, data, target: relatedTable(scope, relationship.target) }]
  })
