import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

/** What is below this folder of Linux is in memory. */
const memory = '/dev/shm'
const prefix = 'commerce-graph-test-'
/** The type of the file system tmpfs, as statfs(2) says it. */
const tmpfs = 0x01021994
/** Bytes. A run of all tests takes up to 1 GiB, and the tests themselves need memory as well. */
const neededSpace = 4 * 2 ** 30
const neededMemory = 8 * 2 ** 30

/**
 * The folder of the tests' Postgres: in memory where there is enough of it, below the checkout's `.data` otherwise. A
 * test copies a database of 1,250 files, which takes 50 ms of processor time in memory, and up to a second in ext4. The
 * folder stays for the next run. Folders in memory whose checkout is gone are removed.
 */
export function testDataFolder(checkout: string, parent = memory): string {
  const kept = join(checkout, '.data/test')
  if (!hasRoom(parent)) return kept
  removeAbandoned(parent)
  const folder = join(parent, prefix + createHash('sha256').update(checkout).digest('hex').slice(0, 16))
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  // Other users may create folders there, too.
  if (!isOurs(folder)) return kept
  writeFileSync(join(folder, 'checkout'), checkout)
  return folder
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { type, bavail, bsize } = statfsSync(folder)
  return type === tmpfs && bavail * bsize >= neededSpace && freemem() >= neededMemory
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent).filter((name) => name.startsWith(prefix))) {
    const folder = join(parent, name)
    const note = join(folder, 'checkout')
    if (isOurs(folder) && existsSync(note) && !existsSync(readFileSync(note, 'utf8')))
      rmSync(folder, { recursive: true, force: true })
  }
}

const isOurs = (folder: string): boolean =>
  process.getuid === undefined || statSync(folder).uid === process.getuid()
