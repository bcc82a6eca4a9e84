import { readMetadataDirectory } from '../hasura/engine/src/metadata/read-directory.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'

const named = z.array(z.object({ name: z.string() })).default([])
const Source = z.object({
  customization: z.unknown().optional(),
  tables: z.array(
    z.object({
      table: z.object({ schema: z.string(), name: z.string() }),
      configuration: z.record(z.string(), z.unknown()).default({}),
      object_relationships: named,
      array_relationships: named,
      computed_fields: named,
    }),
  ),
  functions: z.array(
    z.object({
      function: z.object({ schema: z.string(), name: z.string() }),
      configuration: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
})

const metadata = await readMetadataDirectory(new URL('../metadata', import.meta.url).pathname)
const [source] = z.tuple([Source]).parse(metadata['sources'])

/** Whether a setting gives something another name in Hasura than in SQL. */
const isCustom = (setting: string): boolean => setting.startsWith('custom_') || setting === 'column_config'

test('metadata renames no table, column, function or root field: Hasura’s API has the names of SQL', () => {
  const renamed = [
    ...source.tables.map(({ table, configuration }) => ({ of: table, configuration })),
    ...source.functions.map(({ function: of, configuration }) => ({ of, configuration })),
  ].flatMap(({ of: { schema, name }, configuration }) =>
    Object.keys(configuration)
      .filter(isCustom)
      .map((setting) => `${schema}.${name} ${setting}`),
  )
  expect(renamed).toEqual([])
  expect(source.customization).toBeUndefined()
})

test('relationships and computed fields are named in snake case, like columns', () => {
  const names = source.tables.flatMap((table) =>
    [...table.object_relationships, ...table.array_relationships, ...table.computed_fields].map(
      ({ name }) => name,
    ),
  )
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))).toEqual([])
})
