import { escapeIdentifier, escapeLiteral } from 'pg'
import type { CatalogColumn, CatalogTable, CatalogType } from '../catalog/types.ts'
import type { EventTrigger } from '../metadata/types.ts'
import { type QualifiedName, qualifiedKey } from '../metadata/qualified-name.ts'
import { isBigNumber } from '../schema/postgres-type.ts'
import { spatialType } from '../schema/spatial-type.ts'
import type { Snapshot } from '../snapshot.ts'

/** A Postgres trigger that writes events, and the function of the same name that it calls. */
export interface SqlTrigger {
  /** Hasura's name for it, so that either engine finds the other's triggers. */
  readonly name: string
  readonly table: QualifiedName
  readonly operation: Operation
  /** The source of the function. */
  readonly body: string
  readonly onReplication: boolean
}

const operations = ['insert', 'update', 'delete'] as const
type Operation = (typeof operations)[number]

type Columns = '*' | readonly string[]

/** Every SQL trigger that the metadata's event triggers need. */
export const sqlTriggers = (
  { metadata, catalog }: Snapshot,
  stringifyNumbers: boolean,
): readonly SqlTrigger[] =>
  metadata.sources.flatMap(({ tables }) =>
    tables.flatMap(({ table, event_triggers = [] }) => {
      const found = catalog.tables.get(qualifiedKey(table))
      return found ? event_triggers.flatMap((trigger) => triggersOf(trigger, found, stringifyNumbers)) : []
    }),
  )

const triggersOf = (
  trigger: EventTrigger,
  table: CatalogTable,
  stringifyNumbers: boolean,
): readonly SqlTrigger[] =>
  operations.flatMap((operation) => {
    const specification = trigger.definition[operation]
    if (!specification) return []
    const { columns, payload = '*' } = specification
    return [
      {
        name: `notify_hasura_${trigger.name}_${operation.toUpperCase()}`,
        table: table.name,
        operation,
        body: functionBody(trigger.name, table, operation, { columns, payload }, stringifyNumbers),
        onReplication: trigger.trigger_on_replication === true,
      },
    ]
  })

function functionBody(
  trigger: string,
  table: CatalogTable,
  operation: Operation,
  { columns, payload }: { readonly columns: Columns; readonly payload: Columns },
  stringifyNumbers: boolean,
): string {
  const delivered = chosen(table, payload)
  const json = (row: 'OLD' | 'NEW'): string => rowJson(row, delivered, stringifyNumbers)
  const data = `json_build_object('old', ${operation === 'insert' ? 'null' : json('OLD')}, 'new', ${operation === 'delete' ? 'null' : json('NEW')})`
  const names = [table.name.schema, table.name.name, trigger].map(escapeLiteral).join(', ')
  const write = `perform hdb_catalog.insert_event_log(${names}, TG_OP, ${data});`
  const body =
    operation === 'update' ? whenChanged(table, columns, stringifyNumbers, write) : `begin\n  ${write}`
  return `\n${body}\n  return null;\nend\n`
}

const chosen = (table: CatalogTable, columns: Columns): readonly CatalogColumn[] =>
  columns === '*' ? table.columns : table.columns.filter(({ name }) => columns.includes(name))

/**
 * Writes the event if any of the columns has a new value. As in Hasura, values are compared, so that `1.0` for `1.00`
 * is no change; for a type without equality (`json`, `point`) all columns are compared by their text, because a trigger
 * that fails would fail the user's update.
 */
function whenChanged(
  table: CatalogTable,
  columns: Columns,
  stringifyNumbers: boolean,
  write: string,
): string {
  const listened = chosen(table, columns)
  // A row constructor would compare column by column, where null with null is unknown.
  const row = (of: 'OLD' | 'NEW'): string =>
    `(select r from (${rowValues(of, listened, stringifyNumbers)}) r)`
  const compared = (operator: '<>' | '*<>'): string =>
    listened.length === 0 ? 'false' : `${row('OLD')} ${operator} ${row('NEW')}`
  return `declare
  changed boolean;
begin
  begin
    changed := ${compared('<>')};
  exception when undefined_function then
    changed := ${compared('*<>')};
  end;
  if changed then
    ${write}
  end if;`
}

const rowJson = (row: 'OLD' | 'NEW', columns: readonly CatalogColumn[], stringifyNumbers: boolean): string =>
  `(select row_to_json(r) from (${rowValues(row, columns, stringifyNumbers)}) r)`

/** The columns as the event shows them. */
function rowValues(row: 'OLD' | 'NEW', columns: readonly CatalogColumn[], stringifyNumbers: boolean): string {
  const values = columns.map(({ name, type }) => {
    const column = `${row}.${escapeIdentifier(name)}`
    const shown = stringifyNumbers && isBigNumber(type) ? `${column}::text` : geojson(column, type)
    return shown === undefined ? column : `${shown} as ${escapeIdentifier(name)}`
  })
  return `select ${values.join(', ')}`
}

/** The column as queries show it (`shownValue` in `sql/`); undefined for a column that is shown unchanged. */
function geojson(column: string, type: CatalogType): string | undefined {
  const spatial = spatialType(type)
  if (spatial === undefined || spatial.name === 'raster') return undefined
  return `${escapeIdentifier(spatial.schema)}.st_asgeojson(${column}, 15, 4)::json`
}

const qualified = ({ schema, name }: QualifiedName): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`

export const dropStatement = (name: string): string =>
  `drop function if exists hdb_catalog.${escapeIdentifier(name)}() cascade`

/** Statements that create the function and the trigger. Neither may exist yet. */
export function createStatements(trigger: SqlTrigger): readonly string[] {
  const name = escapeIdentifier(trigger.name)
  const table = qualified(trigger.table)
  return [
    `create function hdb_catalog.${name}() returns trigger language plpgsql as ${escapeLiteral(trigger.body)}`,
    `create trigger ${name} after ${trigger.operation} on ${table} for each row execute function hdb_catalog.${name}()`,
    ...(trigger.onReplication ? [`alter table ${table} enable always trigger ${name}`] : []),
  ]
}
