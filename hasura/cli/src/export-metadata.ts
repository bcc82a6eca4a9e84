import { createTwoFilesPatch } from 'diff'
import { readMetadataDirectory, written } from 'hasura-embedded/metadata-directory'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { HasuraApi } from 'hasura-embedded/migrations'
import { metadataFiles, type MetadataFiles } from './metadata-files.ts'

/**
 * Writes the engine's metadata as a directory, and removes the files of tables and functions that are no longer
 * tracked.
 */
export async function exportMetadata(api: HasuraApi, directory: string): Promise<MetadataFiles> {
  const files = await readEngineFiles(api)
  for (const [path, content] of files) {
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
  const databases = join(directory, 'databases')
  for (const entry of await readdir(databases, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isKept = files.has(path.slice(directory.length + 1).replaceAll('\\', '/'))
    if (entry.isFile() && entry.name.endsWith('.yaml') && !isKept) await rm(path)
  }
  return files
}

/**
 * The changes that applying the directory would make in the engine, as a unified diff; empty if there are none. The
 * same code writes both sides, so layout makes no difference.
 */
export async function diffMetadata(api: HasuraApi, directory: string): Promise<string> {
  const engine = await readEngineFiles(api)
  const project = metadataFiles(written(await readMetadataDirectory(directory)))
  const paths = [...new Set([...engine.keys(), ...project.keys()])].sort()
  return paths
    .filter((path) => engine.get(path) !== project.get(path))
    .map((path) => {
      const [before, after] = [engine.get(path), project.get(path)]
      const from = before === undefined ? '/dev/null' : `engine/${path}`
      const to = after === undefined ? '/dev/null' : `project/${path}`
      return createTwoFilesPatch(from, to, before ?? '', after ?? '')
    })
    .join('')
}

const readEngineFiles = async (api: HasuraApi): Promise<MetadataFiles> =>
  metadataFiles(await api.metadata({ type: 'export_metadata', args: {} }))
