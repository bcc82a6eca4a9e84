import { fileURLToPath } from 'node:url'
import { readMetadataDirectory } from 'hasura-embedded/metadata-directory'
import type { Metadata } from 'hasura-metadata-types'
import ts from 'typescript'
import { expect, test } from 'vitest'

const directory = fileURLToPath(new URL('../../../metadata', import.meta.url))

/**
 * The project's metadata, as `metadata apply` sends it, without two keys that Hasura documents but its published types
 * lack: a table's event triggers and an action's time-out. Reading the directory into the engine checks those.
 */
const metadata = JSON.parse(JSON.stringify(await readMetadataDirectory(directory)), (key, value: unknown) =>
  key === 'event_triggers' || key === 'timeout' ? undefined : value,
) as Metadata['metadata']

/**
 * TypeScript's errors for the metadata against the types of Hasura's console, which the package hasura-metadata-types
 * publishes for each version of Hasura. These are types only, so the metadata is compiled as a literal.
 */
function violations(candidate: unknown): readonly string[] {
  const file = fileURLToPath(new URL('metadata-literal.ts', import.meta.url))
  const text = [
    `import type { Metadata } from 'hasura-metadata-types'`,
    `export const metadata: Metadata['metadata'] = ${JSON.stringify(candidate, null, 1)}`,
  ].join('\n')
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const fromDisk = host.getSourceFile.bind(host)
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true) : fromDisk(name, ...rest)
  const program = ts.createProgram([file], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

test('the project’s metadata conforms to Hasura’s published types', { timeout: 60_000 }, () => {
  expect(violations(metadata)).toEqual([])
})

test('a key that Hasura does not know, or a value of another type, is reported', { timeout: 60_000 }, () => {
  const [source] = metadata.sources
  const [table] = source?.tables ?? []
  const withTable = (changed: unknown): unknown => ({
    version: 3,
    sources: [{ ...source, tables: [changed], functions: [] }],
  })
  expect(violations(withTable(table))).toEqual([])
  expect(violations({ ...metadata, sources: [], actions: [], cron_trigger: [] }).join()).toContain(
    '"cron_trigger"',
  )
  const wrong = { ...table, select_permissions: [{ role: 'merchant', permission: { columns: 5 } }] }
  expect(violations(withTable(wrong)).join()).toContain('string[]')
})
