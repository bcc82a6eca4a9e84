import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type IntrospectionQuery, buildClientSchema, printSchema } from 'graphql'

/**
 * Runs relay-compiler, as an application's build does, over the schema that introspection showed. Returns what it
 * made, by the names of operations and fragments. Throws what it says if it finds a mistake in schema or documents.
 */
export async function compileRelayDocuments(
  introspection: IntrospectionQuery,
  source: { readonly file: string; readonly text: string },
  names: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'relay-'))
  try {
    await Promise.all([mkdir(path.join(folder, 'src')), mkdir(path.join(folder, 'made'))])
    const config = {
      src: './src',
      schema: './schema.graphql',
      artifactDirectory: './made',
      language: 'javascript',
      eagerEsModules: false,
    }
    await writeFile(path.join(folder, 'relay.config.json'), JSON.stringify(config))
    await writeFile(path.join(folder, 'schema.graphql'), printSchema(buildClientSchema(introspection)))
    await writeFile(path.join(folder, 'src', source.file), source.text)
    const require = createRequire(import.meta.url)
    const compiler = require.resolve('relay-compiler/cli.js')
    await promisify(execFile)(process.execPath, [compiler, 'relay.config.json'], { cwd: folder })
    // Artifacts import each other, so all are loaded while the folder is there.
    return new Map(
      names.map((name) => [name, require(path.join(folder, 'made', `${name}.graphql.js`)) as unknown]),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
