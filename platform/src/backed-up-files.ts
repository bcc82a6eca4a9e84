import { isGone, pathsBelow } from '@commerce-graph/local-postgres'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { backedUpFiles, filesFolder, postgresFolder } from './data-folder.ts'

/** Of the folder for uploaded files: what is being written, and has no name yet. */
const unfinished = 'drafts'

/**
 * Copies what a backup has beside the database: without the secrets, sealed values could not be read. The platform goes on writing
 * meanwhile. What is deleted before its turn is left out, and nothing else.
 */
export async function copyBackedUpFiles(dataDir: string, added: string): Promise<void> {
  for (const name of [...backedUpFiles, join(postgresFolder, 'password')]) {
    const from = join(dataDir, name)
    if (!existsSync(from)) continue
    if (name === filesFolder) await copyFolder(from, join(added, name))
    else await copyUnlessGone(from, join(added, name))
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  for await (const { path, kind } of pathsBelow(from, (path) => path === unfinished))
    if (kind === 'file') await copyUnlessGone(join(from, path), join(to, path))
}

async function copyUnlessGone(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    const { atime, mtime } = await stat(from)
    await copyFile(from, to)
    await utimes(to, atime, mtime)
  } catch (error) {
    if (!isGone(error) || existsSync(from)) throw error
  }
}
