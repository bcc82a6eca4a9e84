import { z } from 'zod'
import { functionObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { editFunction, editSource, findFunction, findTable } from '../metadata/edit-metadata.ts'
import { nonEmptyText, record } from '../metadata/parse.ts'
import { type QualifiedName, displayName, qualifiedKey, qualifiedName } from '../metadata/qualified-name.ts'
import { functionConfiguration } from '../metadata/table.ts'
import type { FunctionMetadata, Metadata } from '../metadata/types.ts'
import { type Command, edit, requireSource, sourceName } from './command.ts'

const functionArguments = { source: sourceName, function: qualifiedName }

const trackFunction = record({
  ...functionArguments,
  configuration: functionConfiguration.optional(),
  comment: z.string().optional(),
})
const setFunctionCustomization = record({
  ...functionArguments,
  configuration: functionConfiguration.default({}),
})
const functionPermission = record({ ...functionArguments, role: nonEmptyText })

function requireFunction(metadata: Metadata, source: string, fn: QualifiedName): FunctionMetadata {
  requireSource(metadata, source)
  const found = findFunction(metadata, source, fn)
  if (!found) {
    throw new HasuraError('not-exists', `function "${displayName(fn)}" does not exist in source: ${source}`)
  }
  return found
}

export const functionCommands: Readonly<Record<string, Command>> = {
  pg_track_function: edit(trackFunction, async ({ source, function: fn, configuration, comment }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireSource(metadata, source)
    if (findFunction(metadata, source, fn)) {
      throw new HasuraError('already-tracked', `function already tracked: "${displayName(fn)}"`)
    }
    if (findTable(metadata, source, fn)) {
      throw new HasuraError('not-supported', `table with name "${displayName(fn)}" already exists`)
    }
    await draft.change(
      editSource(metadata, source, (each) => ({
        ...each,
        functions: [...(each.functions ?? []), { function: fn, configuration, comment }],
      })),
      functionObject(source, fn),
    )
  }),

  pg_untrack_function: edit(record(functionArguments), async ({ source, function: fn }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireFunction(metadata, source, fn)
    await draft.accept(
      editSource(metadata, source, (each) => ({
        ...each,
        functions: each.functions?.filter((entry) => qualifiedKey(entry.function) !== qualifiedKey(fn)),
      })),
    )
  }),

  pg_set_function_customization: edit(
    setFunctionCustomization,
    async ({ source, function: fn, configuration }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      requireFunction(metadata, source, fn)
      await draft.change(
        editFunction(metadata, source, fn, (entry) => ({ ...entry, configuration })),
        functionObject(source, fn),
      )
    },
  ),

  pg_create_function_permission: edit(functionPermission, async ({ source, function: fn, role }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { permissions = [] } = requireFunction(metadata, source, fn)
    if (permissions.some((each) => each.role === role)) {
      throw new HasuraError(
        'already-exists',
        `permission of role "${role}" already exists for function "${displayName(fn)}" in source: "${source}"`,
      )
    }
    await draft.change(
      editFunction(metadata, source, fn, (entry) => ({ ...entry, permissions: [...permissions, { role }] })),
      functionObject(source, fn),
    )
  }),

  pg_drop_function_permission: edit(functionPermission, async ({ source, function: fn, role }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { permissions = [] } = requireFunction(metadata, source, fn)
    if (!permissions.some((each) => each.role === role)) {
      throw new HasuraError(
        'not-exists',
        `permission of role "${role}" does not exist for function "${displayName(fn)}" in source: "${source}"`,
      )
    }
    await draft.accept(
      editFunction(metadata, source, fn, (entry) => ({
        ...entry,
        permissions: permissions.filter((each) => each.role !== role),
      })),
    )
  }),
}
