import { describe, expect, test } from 'vitest'
import { compactMetadata } from './edit-metadata.ts'
import { metadata as metadataSchema } from './types.ts'

describe('compactMetadata', () => {
  const compacted = (table: object) => {
    const document = {
      version: 3,
      sources: [{ name: 'default', kind: 'postgres', tables: [{ table: 'author' }, table] }],
    }
    const given = metadataSchema.parse(document)
    return [given.sources[0]?.tables, compactMetadata(given).sources[0]?.tables] as const
  }

  test('leaves out empty lists and defaults', () => {
    const [, tables] = compacted({ table: 'article', select_permissions: [], is_enum: false })
    expect(tables?.[1]).toEqual({ table: { name: 'article', schema: 'public' } })
  })

  test('keeps a table without them as the same object', () => {
    const [given, tables] = compacted({ table: 'article', event_triggers: [] })
    expect(tables?.map((table, index) => table === given?.[index])).toEqual([true, false])
  })
})
