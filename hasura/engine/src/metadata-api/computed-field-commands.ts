import { z } from 'zod'
import { computedFieldObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { editTable } from '../metadata/edit-metadata.ts'
import { nonEmptyText, record } from '../metadata/parse.ts'
import { computedFieldShape } from '../metadata/table.ts'
import { type Command, edit, requireTable, tableArguments } from './command.ts'
import { requireFreeName } from './relationship-commands.ts'

const addComputedField = record({ ...tableArguments, ...computedFieldShape })
const dropComputedField = record({
  ...tableArguments,
  name: nonEmptyText,
  cascade: z.boolean().default(false),
})

export const computedFieldCommands: Readonly<Record<string, Command>> = {
  pg_add_computed_field: edit(addComputedField, async ({ source, table, ...field }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireFreeName(metadata, source, table, field.name)
    await draft.change(
      editTable(metadata, source, table, (entry) => ({
        ...entry,
        computed_fields: [...(entry.computed_fields ?? []), field],
      })),
      computedFieldObject(source, table, field),
    )
  }),

  pg_drop_computed_field: edit(dropComputedField, async ({ source, table, name, cascade }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const entry = requireTable(metadata, source, table)
    if (!entry.computed_fields?.some((field) => field.name === name)) {
      throw new HasuraError('not-exists', `"${name}" does not exist`)
    }
    await draft.remove(
      editTable(metadata, source, table, (each) => ({
        ...each,
        computed_fields: each.computed_fields?.filter((field) => field.name !== name),
      })),
      { cascade },
    )
  }),
}
