import type { CatalogTable } from '../catalog/types.ts'
import { displayName } from '../metadata/qualified-name.ts'
import type { EventTrigger } from '../metadata/types.ts'
import { checkEach, eventTriggerObject } from './metadata-object.ts'
import { type CheckedTable, type TrackedTable, withKept } from './tracked-tables.ts'

/** An event trigger needs a unique name, existing columns, and a table that can have triggers. */
export function checkEventTriggers(source: string, table: TrackedTable, taken: Set<string>): CheckedTable {
  const { metadata, catalog } = table
  const { kept, inconsistencies } = checkEach(
    metadata.event_triggers,
    (trigger) => {
      if (taken.has(trigger.name))
        return `multiple definitions in metadata for event trigger "${trigger.name}"`
      taken.add(trigger.name)
      return tableProblem(catalog) ?? columnProblem(trigger, catalog)
    },
    (trigger) => eventTriggerObject(source, metadata.table, trigger),
  )
  return withKept(table, { event_triggers: kept }, inconsistencies)
}

const tableProblem = ({ kind, name }: CatalogTable): string | undefined =>
  kind === 'view' || kind === 'materialized-view'
    ? `event triggers are not supported on the view "${displayName(name)}"`
    : undefined

function columnProblem({ definition }: EventTrigger, { name, columns }: CatalogTable): string | undefined {
  const known = new Set(columns.map((column) => column.name))
  const mentioned = [definition.insert, definition.update, definition.delete].flatMap((operation) =>
    [operation?.columns, operation?.payload].flatMap((list) =>
      list === undefined || list === '*' ? [] : list,
    ),
  )
  const unknown = mentioned.find((column) => !known.has(column))
  return unknown === undefined ? undefined : `"${unknown}" does not exist in table "${displayName(name)}"`
}
