import { describe, expect, test } from 'vitest'
import { parseMetadata } from './read-metadata.ts'

const source = (tables: readonly unknown[]) => ({
  version: 3,
  sources: [{ name: 'default', kind: 'postgres', tables }],
})

describe('parseMetadata', () => {
  test('reads a short table name as public, and null as not given', () => {
    const parsed = parseMetadata(source([{ table: 'author', configuration: { comment: null } }]))
    expect(parsed).toMatchObject({
      kind: 'parsed',
      value: source([{ table: { name: 'author', schema: 'public' } }]),
    })
    expect(JSON.stringify(parsed)).not.toContain('comment')
  })

  test('keeps null inside of expressions, where it is a value', () => {
    const filter = { deleted_at: { _eq: null } }
    const parsed = parseMetadata(
      source([
        { table: 'author', select_permissions: [{ role: 'user', permission: { columns: '*', filter } }] },
      ]),
    )
    expect(JSON.stringify(parsed)).toContain(JSON.stringify(filter))
  })

  test.each([
    ['an unknown key', { table: 'a', colour: 1 }, '$.sources[0].tables[0]', 'unknown key "colour"'],
    [
      'an unknown key in one form of a relationship',
      {
        table: 'a',
        object_relationships: [
          { name: 'b', using: { foreign_key_constraint_on: { table: 'b', column: 'c', to: 1 } } },
        ],
      },
      '$.sources[0].tables[0].object_relationships[0].using.foreign_key_constraint_on',
      'unknown key "to"',
    ],
    [
      'an empty role',
      { table: 'a', delete_permissions: [{ role: '', permission: { filter: {} } }] },
      '$.sources[0].tables[0].delete_permissions[0].role',
      'empty string not allowed',
    ],
    [
      'a missing key',
      { table: 'a', delete_permissions: [{ role: 'user', permission: {} }] },
      '$.sources[0].tables[0].delete_permissions[0].permission',
      'key "filter" not found',
    ],
  ])('refuses %s and says where it is', (_, table, path, message) => {
    expect(parseMetadata(source([table]))).toEqual({ kind: 'invalid', problem: { path, message } })
  })

  test('reads formats 1 and 2 as the source "default"', () => {
    const parsed = parseMetadata({
      tables: [{ table: 'author' }],
      functions: ['search', { schema: 'shop', name: 'find' }],
    })
    expect(parsed).toMatchObject({
      kind: 'parsed',
      value: {
        version: 3,
        sources: [
          {
            name: 'default',
            tables: [{ table: { name: 'author' } }],
            functions: [
              { function: { name: 'search', schema: 'public' } },
              { function: { name: 'find', schema: 'shop' } },
            ],
          },
        ],
      },
    })
  })
})
