import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type BaseBackup, listBackups, pruneBackups } from './base-backup.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backups-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'wal'))
})

function complete(name: string, firstWal: string): void {
  const backup: BaseBackup = {
    name,
    major: 18,
    beganAt: '2026-11-24T01:00:00.000Z',
    endedAt: '2026-11-24T01:01:00.000Z',
    firstWal,
    files: [],
  }
  mkdirSync(join(folder, 'base', name, 'cluster'), { recursive: true })
  writeFileSync(join(folder, 'base', name, 'backup.json'), JSON.stringify(backup))
}

const names = async () => (await listBackups(folder)).map(({ name }) => name)

test('backups are listed and pruned beside one that was removed in part, and beside other files and folders', async () => {
  complete('2026-11-24', '000000010000000000000003')
  complete('2026-11-25', '000000010000000000000005')
  mkdirSync(join(folder, 'base/2026-11-23/cluster'), { recursive: true })
  mkdirSync(join(folder, 'base/lost+found'))
  writeFileSync(join(folder, 'base/notes.txt'), 'the disk of the safe')
  expect(await names()).toEqual(['2026-11-24', '2026-11-25'])
  expect(await pruneBackups(folder, 1)).toEqual(['2026-11-24'])
  expect(await names()).toEqual(['2026-11-25'])
})
