import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ImportState } from './import-state.ts'
import type { Source } from './input/source.ts'

const source = (sha256: string): Source => ({
  file: 'x.csv',
  sha256,
  rowCount: 3,
  read: () => (async function* () {})(),
})
const one = source('1'.repeat(64))
const two = source('2'.repeat(64))

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'importer-'))
  path = join(folder, 'deep/state.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

describe('the state of an import', () => {
  test('survives the process, even if the last line is incomplete', async () => {
    const state = await ImportState.open(path, 'shop')
    await state.record([
      { source: one, row: 0, event: 'started' },
      { source: one, row: 1, event: 'started' },
      { source: one, row: 0, event: 'created' },
    ])
    await appendFile(path, '{"target":"shop","file":"')

    const next = await ImportState.open(path, 'shop')
    expect(next.settled(one, 0)).toBe('created')
    expect(next.settled(one, 1)).toBeUndefined()
    expect(next.wasStarted(one, 1)).toBe(true)
    expect(next.wasStarted(one, 2)).toBe(false)
    expect(next.resumes([one])).toBe(true)
    expect(next.resumes([two])).toBe(false)
  })

  test('of one shop does not affect another', async () => {
    const state = await ImportState.open(path, 'shop')
    await state.record([{ source: one, row: 0, event: 'created' }])
    expect((await ImportState.open(path, 'another shop')).settled(one, 0)).toBeUndefined()
  })

  test('forgets a finished file and keeps the rest, other shops included', async () => {
    const other = await ImportState.open(path, 'another shop')
    await other.record([{ source: one, row: 0, event: 'created' }])
    const state = await ImportState.open(path, 'shop')
    await state.record([
      { source: one, row: 0, event: 'created' },
      { source: two, row: 0, event: 'refused' },
    ])
    await state.forget([one])

    const next = await ImportState.open(path, 'shop')
    expect(next.settled(one, 0)).toBeUndefined()
    expect(next.settled(two, 0)).toBe('refused')
    expect((await ImportState.open(path, 'another shop')).settled(one, 0)).toBe('created')
    expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(2)
  })
})
