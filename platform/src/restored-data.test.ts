import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { putInPlace, removeUnfinished, unarchivedLog } from './restored-data.ts'

const now = new Date('2026-11-29T19:00:00.000Z')
const ending = '.before-2026-11-29T19-00-00-000Z'
const segment = '00000001000000000000000A'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'restored-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

function put(path: string, content = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

const content = (path: string): string => readFileSync(join(folder, path), 'utf8')

test('what was restored is in the place of the data that was there, which is set aside', () => {
  put('postgres/name', 'old')
  put('secrets.json', 'old')
  put('restoring/postgres/name', 'new')
  put('restoring/secrets.json', 'new')
  put('restoring/files/1', 'new')
  expect(putInPlace(folder, now)).toBe(join(folder, `postgres${ending}`))
  expect(['postgres/name', 'secrets.json', 'files/1'].map(content)).toEqual(['new', 'new', 'new'])
  expect([`postgres${ending}/name`, `secrets.json${ending}`].map(content)).toEqual(['old', 'old'])
  expect(readdirSync(folder)).not.toContain('restoring')
})

test('data that can not be moved whole stays where it was', () => {
  put('postgres/name', 'old')
  put('secrets.json', 'old')
  put('restoring/postgres/name', 'new')
  put(`secrets.json${ending}/in-the-way`)
  expect(() => putInPlace(folder, now)).toThrow('secrets.json')
  expect(['postgres/name', 'secrets.json', 'restoring/postgres/name'].map(content)).toEqual([
    'old',
    'old',
    'new',
  ])
})

test('the log is that of the database that is there', () => {
  put(`postgres/cluster/pg_wal/${segment}`)
  put(`postgres.before-2026-01-02/cluster/pg_wal/${segment}`)
  expect(unarchivedLog(folder)).toBe(join(folder, 'postgres/cluster/pg_wal'))
})

test('after a restore that ended halfway, the log is that of the database that was set aside last', () => {
  put('postgres/cluster.restoring/pg_wal/archive_status/x')
  put(`postgres.before-2026-01-01/cluster/pg_wal/${segment}`)
  put(`postgres.before-2026-01-02/cluster/pg_wal/${segment}`)
  put('postgres.before-2026-01-03/cluster/pg_wal/archive_status/x')
  expect(unarchivedLog(folder)).toBe(join(folder, 'postgres.before-2026-01-02/cluster/pg_wal'))
})

test('an empty folder has no log, and what a restore has left is removed', () => {
  put('restoring/postgres/cluster.restoring/PG_VERSION')
  removeUnfinished(folder)
  expect(readdirSync(folder)).toEqual([])
  expect(unarchivedLog(folder)).toBeUndefined()
  expect(unarchivedLog(join(folder, 'absent'))).toBeUndefined()
})
