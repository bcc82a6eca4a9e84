import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { environmentVariables, readConfiguration } from './configuration.ts'
import { secretVariables } from './secret-files.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('secrets in files', () => {
  test('are read as if their variables had them, without the line’s end of the file', () => {
    const given = {
      DATABASE_URL: 'postgres://postgres@postgres:5432/commerce',
      PGPASSWORD: ' p@ss: /w#r%d?" ',
      REDIS_URL: 'redis://redis:6379',
      REDIS_PASSWORD: 'redis password',
      HASURA_GRAPHQL_ADMIN_SECRET: '7f6cf3dd0f3a4a9c9e0d1b8a',
      ACTIONS_SECRET: 'b27c1d6f0e8a49ffb0c5d3a1',
      ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}`,
      STRIPE_SECRET_KEY: 'sk_test_1',
      SMTP_URL: 'smtp://user:password@mail:587',
    }
    const ends = ['\n', '\r\n', '', '\n\n']
    const files = Object.fromEntries(
      Object.entries(given).map(([name, text], index): [string, string] => [
        `${name}_FILE`,
        file(name, text + (ends[index % ends.length] ?? '')),
      ]),
    )
    expect(readConfiguration(files)).toEqual(readConfiguration(given))
  })

  test('are refused beside their variable, with the names of both', () => {
    const path = file('twice', 'b27c1d6f0e8a49ffb0c5d3a1')
    expect(() =>
      readConfiguration({ ACTIONS_SECRET: 'b27c1d6f0e8a49ffb0c5d3a1', ACTIONS_SECRET_FILE: path }),
    ).toThrow('ACTIONS_SECRET and ACTIONS_SECRET_FILE are both set: set one of them')
    expect(readConfiguration({ ACTIONS_SECRET: '', ACTIONS_SECRET_FILE: path }).actionsSecret).toBeDefined()
  })

  test.for([
    ['absent', "which can't be read: ENOENT"],
    ['.', "which can't be read: EISDIR"],
    ['empty', 'which is empty'],
    ['/dev/zero', 'which has more than 65536 bytes'],
  ] as const)('name the variable and the path: %s', ([name, problem]) => {
    file('empty', '\n')
    const path = resolve(folder, name)
    expect(() => readConfiguration({ REDIS_URL_FILE: path })).toThrow(
      `REDIS_URL_FILE names ${path}, ${problem}`,
    )
  })

  test('are checked like the variable, which the error names', () => {
    expect(() => readConfiguration({ SMTP_URL_FILE: file('smtp', 'mail') })).toThrow(
      'SMTP_URL must be a URL like',
    )
  })

  test('are possible for each variable with a secret in it', () => {
    const looksSecret = environmentVariables.filter(
      (name) =>
        /PASSWORD|SECRET|KEY|HEADERS/.test(name) ||
        /^(DATABASE|DATABASE_DIRECT|DATABASE_REPLICA|REDIS|SMTP|PUSH_WEBHOOK)_URL(S|_(ENGINE|ACTIONS|AUTH|WORKER|FEED))?$/.test(
          name,
        ),
    )
    expect(looksSecret.toSorted()).toEqual(secretVariables.toSorted())
  })
})
