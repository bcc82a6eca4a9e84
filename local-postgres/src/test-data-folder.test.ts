import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testDataFolder } from './test-data-folder.ts'

let checkout: string

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'checkout-'))
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

test('a folder that is not in memory, or not there, is not used', () => {
  // The temporary files of a test run may be in memory, too.
  expect(testDataFolder(checkout, '/proc')).toBe(join(checkout, '.data/test'))
  expect(testDataFolder(checkout, join(checkout, 'absent'))).toBe(join(checkout, '.data/test'))
})

const root = resolve(import.meta.dirname, '../..')

test.skipIf(testDataFolder(root).startsWith(root))(
  'a checkout keeps its folder in memory until it is gone (skipped: /dev/shm has less than 4 GB, or the machine less than 8)',
  () => {
    const other = mkdtempSync(join(tmpdir(), 'checkout-'))
    const folder = testDataFolder(checkout)
    const gone = testDataFolder(other)
    expect(gone).not.toBe(folder)
    mkdirSync(join(gone, '1'))
    expect(testDataFolder(checkout)).toBe(folder)
    expect(existsSync(join(gone, '1'))).toBe(true)
    rmSync(other, { recursive: true })
    expect(testDataFolder(checkout)).toBe(folder)
    expect(existsSync(gone)).toBe(false)
    rmSync(folder, { recursive: true })
  },
)
