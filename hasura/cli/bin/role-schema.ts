/**
 * Writes the schema of `/v1/graphql` as a role sees it, from the migrations and the metadata:
 *
 *   node hasura/cli/bin/role-schema.ts <role> <file>
 *
 * That takes seconds, so it is left out while the file and what it is made of are those of the last time.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const metadata = join(root, 'metadata')
const migrations = join(root, 'migrations')

const [role, file] = process.argv.slice(2)
if (role === undefined || file === undefined) throw new Error('Usage: role-schema.ts <role> <file>')

const digestFile = join(root, 'node_modules/.cache/role-schema', role)
if ((await digest(file)) !== (await readFile(digestFile, 'utf8').catch(() => undefined))) {
  const { printRoleSchema } = await import('../src/print-role-schema.ts')
  await writeFile(file, await printRoleSchema({ metadata, migrations }, role))
  await mkdir(dirname(digestFile), { recursive: true })
  await writeFile(digestFile, await digest(file))
}
console.log(resolve(file))

/** Of the written file, and of all that it is made of. */
async function digest(written: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(written).catch(() => ''))
  for (const folder of [metadata, migrations, join(root, 'hasura/engine/src')]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    for (const path of files.sort()) hash.update(`${relative(root, path)}\0`).update(await readFile(path))
  }
  return hash.digest('hex')
}
