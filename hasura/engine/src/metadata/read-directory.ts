import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type ScalarTag, parse } from 'yaml'
import { parseJsonPath } from '../plan/json-path.ts'
import { customTypesAndActionsFromSdl } from './actions-sdl.ts'
import { parseMetadata } from './read-metadata.ts'
import type { Metadata } from './types.ts'

export { isPostgres } from './foreign-source.ts'
export { written } from './written-metadata.ts'

/** A metadata directory that can't be read. The message names the file and what is wrong in it. */
export class MetadataDirectoryError extends Error {
  override readonly name = 'MetadataDirectoryError'
}

/** `!include` may nest (databases.yaml -> tables.yaml -> public_author.yaml); deeper is a mistake. */
const maxIncludeDepth = 16

/** The files of a config v3 project and the keys of the metadata that each holds. */
const listFiles = {
  'remote_schemas.yaml': 'remote_schemas',
  'query_collections.yaml': 'query_collections',
  'allow_list.yaml': 'allowlist',
  'cron_triggers.yaml': 'cron_triggers',
  'inherited_roles.yaml': 'inherited_roles',
  'rest_endpoints.yaml': 'rest_endpoints',
  'network.yaml': 'network',
  'metrics_config.yaml': 'metrics_config',
  'api_limits.yaml': 'api_limits',
  'graphql_schema_introspection.yaml': 'graphql_schema_introspection',
  'opentelemetry.yaml': 'opentelemetry',
  'backend_configs.yaml': 'backend_configs',
} as const

export interface ReadOptions {
  /** Called for each unknown key, with its file and path. The key is left out. */
  readonly onUnknownKey?: (place: string) => void
}

/**
 * Reads a metadata directory in hasura-cli's layout (config v3): it follows `!include`, and joins `actions.graphql` and
 * `actions.yaml` to actions and custom types. Throws MetadataDirectoryError, which names the file or the key.
 */
export async function readMetadataDirectory(
  directory: string,
  { onUnknownKey = () => undefined }: ReadOptions = {},
): Promise<Metadata> {
  const root = resolve(directory)
  // The file of each part of the metadata, for error messages.
  const files: FilesOfValues = new WeakMap()
  await assertVersion3(root)
  const entries = await Promise.all(
    Object.entries(listFiles).map(async ([file, key]) => [key, await readYaml(root, file, files)] as const),
  )
  const sources = (await readYaml(root, join('databases', 'databases.yaml'), files)) ?? []
  const actions = customTypesAndActionsFromSdl(
    (await readOptional(join(root, 'actions.graphql'))) ?? '',
    (await readYaml(root, 'actions.yaml')) ?? {},
  )
  if (actions.kind === 'invalid') throw new MetadataDirectoryError(actions.reason)
  const document = {
    version: 3,
    sources,
    ...Object.fromEntries(entries.filter(([, value]) => !isEmpty(value))),
    ...actions.metadata,
  }
  const parsed = parseMetadata(document)
  if (parsed.kind === 'invalid') {
    const { path, message } = parsed.problem
    throw new MetadataDirectoryError(`${placeOf(document, path, directory, files)}: ${message}`)
  }
  for (const path of parsed.ignored) onUnknownKey(placeOf(document, path, directory, files))
  return parsed.value
}

type FilesOfValues = WeakMap<object, string>

/** The file that a path of the metadata leads into, and the path inside that file. */
function placeOf(document: object, path: string, directory: string, files: FilesOfValues): string {
  let place = { file: directory, rest: path }
  let value: unknown = document
  let walked = '$'
  for (const step of parseJsonPath(path, '$')) {
    if (typeof value !== 'object' || value === null) break
    value = (value as Readonly<Record<string, unknown>>)[step]
    const left = path.slice(walked.length)
    walked += /^(?:\.[\w-]+|\[\d+\]|\['[^']*'\])/.exec(left)?.[0] ?? left
    const file = typeof value === 'object' && value !== null ? files.get(value) : undefined
    if (file !== undefined) place = { file, rest: `$${path.slice(walked.length)}` }
  }
  return `${place.file}: ${place.rest}`
}

/** hasura-cli writes `{}` for an absent key, even when the metadata has a list there. */
const isEmpty = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && Object.keys(value).length === 0)

async function assertVersion3(root: string): Promise<void> {
  const version = await readYaml(root, 'version.yaml')
  if (version === undefined)
    throw new MetadataDirectoryError(`${root} has no version.yaml: is it a metadata directory?`)
  if (typeof version !== 'object' || version === null || !('version' in version) || version.version !== 3) {
    throw new MetadataDirectoryError(`${join(root, 'version.yaml')}: only version 3 can be read`)
  }
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function readYaml(root: string, file: string, files: FilesOfValues = new WeakMap()): Promise<unknown> {
  const path = join(root, file)
  const text = await readOptional(path)
  if (text === undefined) return undefined
  return readFrom(path, resolveIncludes(parseYaml(path, text), { from: path, root, files }, 0), files)
}

async function readFrom(file: string, reading: Promise<unknown>, files: FilesOfValues): Promise<unknown> {
  const value = await reading
  // A file that consists of one include has the included file's name already.
  if (typeof value === 'object' && value !== null && !files.has(value)) files.set(value, file)
  return value
}

interface IncludeScope {
  readonly from: string
  readonly root: string
  readonly files: FilesOfValues
}

/** The placeholder of `!include path` until the file is read. */
class Include {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

const includeTag: ScalarTag = { tag: '!include', resolve: (path: string) => new Include(path) }

/** hasura-cli writes `"!include public_author.yaml"` with quotes, and reads both forms. */
const quotedInclude = /^!include\s+(\S.*)$/

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text, { customTags: [includeTag] }) as unknown
  } catch (error) {
    throw new MetadataDirectoryError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function resolveIncludes(value: unknown, scope: IncludeScope, depth: number): Promise<unknown> {
  if (value instanceof Include) return include(value.path, scope, depth)
  if (typeof value === 'string') {
    const path = quotedInclude.exec(value)?.[1]
    return path === undefined ? value : include(path.trim(), scope, depth)
  }
  if (Array.isArray(value)) return Promise.all(value.map((item) => resolveIncludes(item, scope, depth)))
  if (typeof value !== 'object' || value === null) return value
  const entries = await Promise.all(
    Object.entries(value).map(
      async ([key, item]) => [key, await resolveIncludes(item, scope, depth)] as const,
    ),
  )
  return Object.fromEntries(entries)
}

/** Reads an included file. Paths are relative to the including file, and must stay inside the directory. */
async function include(file: string, { from, root, files }: IncludeScope, depth: number): Promise<unknown> {
  if (depth >= maxIncludeDepth) throw new MetadataDirectoryError(`${from}: !include is nested too deep`)
  const path = resolve(dirname(from), file)
  if (relative(root, path).startsWith('..')) {
    throw new MetadataDirectoryError(`${from}: !include ${file} is outside of the metadata directory`)
  }
  const text = await readOptional(path)
  if (text === undefined)
    throw new MetadataDirectoryError(`${from}: the included file ${file} does not exist`)
  return readFrom(path, resolveIncludes(parseYaml(path, text), { from: path, root, files }, depth + 1), files)
}
