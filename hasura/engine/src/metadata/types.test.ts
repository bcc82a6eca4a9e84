import { describe, expect, test } from 'vitest'
import { parseMetadata } from './read-metadata.ts'

const source = (tables: readonly unknown[]) => ({
  version: 3,
  sources: [{ name: 'default', kind: 'postgres', tables }],
})

describe('parseMetadata', () => {
  test('reads a short table name as public, and null as absent', () => {
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
  ])('refuses %s with its path', (_, table, path, message) => {
    expect(parseMetadata(source([table]))).toEqual({ kind: 'invalid', problem: { path, message } })
  })

  test('leaves out unknown keys, as Hasura does, and returns their paths', () => {
    const tables = [
      {
        table: 'a',
        colour: 1,
        configuration: { query_configuration: {}, custom_root_fields: { select: { name: 'as', note: 1 } } },
        insert_permissions: [{ role: 'user', permission: { check: {}, computed_fields: [] } }],
        event_triggers: [],
        object_relationships: [
          { name: 'b', using: { foreign_key_constraint_on: { table: 'b', column: 'c', to: 1 } } },
        ],
      },
    ]
    const at = '$.sources[0].tables[0]'
    const parsed = parseMetadata(source(tables))
    expect(parsed).toMatchObject({ kind: 'parsed' })
    expect(parsed.kind === 'parsed' && parsed.ignored.toSorted()).toEqual([
      `${at}.colour`,
      `${at}.configuration.custom_root_fields.select.note`,
      `${at}.configuration.query_configuration`,
      `${at}.insert_permissions[0].permission.computed_fields`,
      `${at}.object_relationships[0].using.foreign_key_constraint_on.to`,
    ])
    expect(JSON.stringify(parsed)).toContain('"custom_root_fields":{"select":{"name":"as"}}')
  })

  test('refuses a header that would reveal a secret of the server, and names it', () => {
    const headers = [{ name: 'x-secret', value_from_env: 'HASURA_GRAPHQL_ADMIN_SECRET' }]
    const trigger = {
      name: 't',
      definition: { insert: { columns: '*' } },
      retry_conf: {},
      webhook: 'http://a',
      headers,
    }
    expect(parseMetadata(source([{ table: 'a', event_triggers: [trigger] }]))).toEqual({
      kind: 'invalid',
      problem: {
        path: '$.sources[0].tables[0].event_triggers[0].headers[0]',
        message:
          'env variables starting with "HASURA_GRAPHQL_" are not allowed in value_from_env: HASURA_GRAPHQL_ADMIN_SECRET',
      },
    })
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
