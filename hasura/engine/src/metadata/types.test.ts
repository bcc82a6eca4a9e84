import { describe, expect, test } from 'vitest'
import { metadata, type Metadata } from './types.ts'

describe('metadata', () => {
  test('reads a short table name as public and keeps the rest as given', () => {
    const parsed: Metadata = metadata.parse({
      version: 3,
      sources: [
        {
          name: 'default',
          kind: 'postgres',
          tables: [{ table: 'author', configuration: { comment: null } }],
        },
      ],
    })
    expect(parsed.sources[0]?.tables[0]?.table).toEqual({ name: 'author', schema: 'public' })
    expect(parsed.sources[0]?.tables[0]?.configuration?.comment).toBeUndefined()
  })

  test('refuses an unknown key and says where it is', () => {
    const result = metadata.safeParse({
      version: 3,
      sources: [{ name: 'default', tables: [{ table: 'a', colour: 1 }] }],
    })
    expect(result.error?.issues[0]).toMatchObject({
      code: 'unrecognized_keys',
      keys: ['colour'],
      path: ['sources', 0, 'tables', 0],
    })
  })
})
