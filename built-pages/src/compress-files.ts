import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuildStep } from './pages-package.ts'

const brotli = promisify(brotliCompress)
const text = /\.(js|css|html|svg|json)$/

/** The encodings that the pages are kept in, the best first. */
export const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

/** Writes each text of a folder beside itself, compressed as far as it goes: it is served for as long as the version lasts. */
async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile() && text.test(entry.name))) {
    const path = join(parentPath, name)
    const bytes = await readFile(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    await writeFile(`${path}.br`, await brotli(bytes, { params }))
    await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
  }
}

/** The last step of a build, of static pages. */
export const compressPages = (output: string): BuildStep => ({
  name: 'compress',
  text: 'Compress them',
  remedy: 'Check that the data folder has room, then try again.',
  async run(cwd) {
    await compressFiles(join(cwd, output))
    return null
  },
})
