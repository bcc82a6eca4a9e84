import { Kind, isObjectType } from 'graphql'
import { jsonTypeOf } from '../exact-json.ts'
import { entityUnionName } from '../schema/federation-types.ts'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import { primaryKeyColumns } from '../schema/schema-context.ts'
import type { ColumnModel, TableModel } from '../schema/source-model.ts'
import type { CollectedField } from './collect-fields.ts'
import type { InputValue, JsonValue, ObjectValue } from './input-value.ts'
import { planRowFields } from './plan-select.ts'
import { tableRows, planRows } from './plan-rows.ts'
import type { SelectScope } from './select-scope.ts'
import { itemsOf, member } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { SelectPlan } from './tree.ts'

/** The most references in one request. A router sends as many as its answer has rows. */
const maxRepresentations = 1_000

/** The rows that other subgraphs refer to, with one statement for each type. */
export interface EntitiesPlan {
  readonly groups: readonly EntityGroup[]
  /** The number of references. */
  readonly size: number
}

interface EntityGroup {
  /** Selects the row whose key columns equal the reference's. */
  readonly select: SelectPlan
  readonly key: readonly ColumnModel[]
  readonly references: readonly Reference[]
}

interface Reference {
  /** The position of its row in the answer. */
  readonly place: number
  /** The values by the key's columns, with their names in the database. */
  readonly values: Readonly<Record<string, JsonValue>>
}

/**
 * Plans `_entities`. Throws RequestError, with the path of the representation and its field, for an invalid reference.
 */
export function planEntities(
  { tables }: Extract<FieldMeaning, { kind: 'entities' }>,
  given: ObjectValue,
  collected: CollectedField,
  scope: SelectScope,
): EntitiesPlan {
  requireFragments(collected)
  const items = itemsOf(member(given, 'representations'))
  if (items.length > maxRepresentations)
    throw new RequestError(
      `expected at most ${maxRepresentations} representations, but found ${items.length}`,
      `${given.path}.representations`,
    )
  const byTable = new Map<TableModel, Reference[]>()
  for (const [place, item] of items.entries()) {
    const { table, values } = readRepresentation(item, tables)
    const references = byTable.get(table) ?? []
    references.push({ place, values })
    byTable.set(table, references)
  }
  const groups = [...byTable].map(([table, references]): EntityGroup => ({
    select: planEntity(table, given, collected, scope),
    key: primaryKeyColumns(table),
    references,
  }))
  return { groups, size: items.length }
}

/** Selections on a union must be inside fragments. */
function requireFragments({ selections, path }: CollectedField): void {
  for (const selection of selections.flatMap((each) => each.selections))
    if (selection.kind === Kind.FIELD && selection.name.value !== '__typename')
      throw new RequestError(
        `field "${selection.name.value}" not found in type: '${entityUnionName}'`,
        `${path}.selectionSet.${selection.name.value}`,
      )
}

function planEntity(
  table: TableModel,
  given: ObjectValue,
  { selections, path }: CollectedField,
  scope: SelectScope,
): SelectPlan {
  const type = scope.schema.getType(table.typeName)
  if (!isObjectType(type)) throw new Error(`The schema has no type ${table.typeName}`)
  const join = primaryKeyColumns(table).map(({ name }) => ({ local: name, remote: name }))
  const rows = planRows(tableRows(table, { ...given, fields: new Map() }, join), scope)
  const fields = planRowFields(type, selections, table, scope, path)
  // A key has one row, so a permission's limit has no effect.
  return { kind: 'row', rows: { ...rows, limit: undefined }, fields }
}

function readRepresentation(
  item: InputValue,
  tables: ReadonlyMap<string, TableModel>,
): { readonly table: TableModel; readonly values: Reference['values'] } {
  const { path } = item
  const value = item.kind === 'leaf' ? item.value : null
  if (jsonTypeOf(value) !== 'object' || value === null || Array.isArray(value))
    throw new RequestError('representations is expecting a list of objects only', path)
  const given = value as Readonly<Record<string, JsonValue>>
  const typeName = given['__typename']
  if (typeName === undefined) throw new RequestError('__typename key not found', path)
  if (typeof typeName !== 'string') throw new RequestError('__typename can only be a string value', path)
  const table = tables.get(typeName)
  if (table === undefined)
    throw new RequestError(
      `${typeName} is not found in selection set or apollo federation is not enabled for the type`,
      path,
    )
  const values = primaryKeyColumns(table).map(({ name, graphqlName }): [string, JsonValue] => [
    name,
    keyValue(Object.hasOwn(given, graphqlName) ? given[graphqlName] : undefined, typeName, graphqlName, path),
  ])
  return { table, values: Object.fromEntries(values) }
}

/** A key's value. Postgres checks whether it fits the column's type. */
function keyValue(value: JsonValue | undefined, typeName: string, name: string, path: string): JsonValue {
  const at = `${path}.${name}`
  if (value === undefined || value === null) throw new RequestError(`cannot find ${name} in _Any type`, at)
  if (jsonTypeOf(value) === 'object')
    throw new RequestError(`expected a scalar for key field "${name}" of type "${typeName}"`, at)
  return value
}
