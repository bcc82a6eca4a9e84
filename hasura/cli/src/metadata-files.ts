import { isPostgres } from 'hasura-embedded/metadata-directory'
import { z } from 'zod'
import { actionsFiles } from './actions-files.ts'
import { yaml } from './yaml.ts'

/** The files of a metadata directory, in a fixed order: relative path to content. */
export type MetadataFiles = ReadonlyMap<string, string>

/** Metadata that can't be written as a directory. */
export class MetadataFilesError extends Error {
  override readonly name = 'MetadataFilesError'
}

/** One file for each key, and the content that hasura-cli writes when the engine has none for it. */
const keyFiles = [
  ['allow_list.yaml', 'allowlist', []],
  ['api_limits.yaml', 'api_limits', {}],
  ['backend_configs.yaml', 'backend_configs', {}],
  ['cron_triggers.yaml', 'cron_triggers', []],
  ['graphql_schema_introspection.yaml', 'graphql_schema_introspection', { disabled_for_roles: [] }],
  ['inherited_roles.yaml', 'inherited_roles', []],
  ['metrics_config.yaml', 'metrics_config', {}],
  ['network.yaml', 'network', {}],
  ['opentelemetry.yaml', 'opentelemetry', {}],
  ['query_collections.yaml', 'query_collections', []],
  ['remote_schemas.yaml', 'remote_schemas', []],
  ['rest_endpoints.yaml', 'rest_endpoints', []],
] as const

const qualified = z.union([
  z.object({ schema: z.string().default('public'), name: z.string() }),
  z.string().transform((name) => ({ schema: 'public', name })),
])
const tracked = (key: 'table' | 'function') => z.looseObject({ [key]: qualified })

const source = z.looseObject({
  name: z.string(),
  tables: z.array(tracked('table')).default([]),
  functions: z.array(tracked('function')).default([]),
})

const anySource = z.looseObject({ name: z.string(), kind: z.string().optional() })

const metadata = z.looseObject({ sources: z.array(anySource).default([]) })

/** The metadata in the layout of `hasura metadata export` (2.36, config v3). Throws MetadataFilesError. */
export function metadataFiles(exported: unknown): MetadataFiles {
  const { sources, ...rest } = metadata.parse(exported)
  const files = new Map<string, string>()
  const add = (path: string, content: string): void => {
    if (files.has(path)) throw new MetadataFilesError(`Two objects would be written to ${path}`)
    files.set(path, content)
  }
  add('version.yaml', yaml({ version: 3 }))
  for (const [path, content] of actionsFiles(rest['actions'], rest['custom_types'])) add(path, content)
  for (const [path, key, empty] of keyFiles) add(path, yaml(rest[key] ?? empty))
  // Tables of other kinds of databases have names of other shapes, so those sources stay whole in databases.yaml.
  const entries = sources.map((each) => (isPostgres(each) ? sourceEntry(source.parse(each), add) : each))
  add('databases/databases.yaml', yaml(entries))
  return files
}

/** A source's entry in databases.yaml. Its tables and functions go to files of their own. */
function sourceEntry(
  { name, kind, configuration, tables, functions, ...others }: z.output<typeof source>,
  add: (path: string, content: string) => void,
): Record<string, unknown> {
  const included = { tables: objectFiles(name, 'table', tables, add) }
  return {
    name,
    kind: kind ?? 'postgres',
    ...(configuration === undefined ? {} : { configuration }),
    ...others,
    ...included,
    ...(functions.length === 0 ? {} : { functions: objectFiles(name, 'function', functions, add) }),
  }
}

/** Adds a file for each table or function, and the list that includes them. Returns the include of that list. */
function objectFiles(
  sourceName: string,
  key: 'table' | 'function',
  objects: readonly Record<string, unknown>[],
  add: (path: string, content: string) => void,
): string {
  const folder = `${sourceName}/${key}s`
  const names = objects.map((object) => {
    const { schema, name } = qualified.parse(object[key])
    const file = `${schema}_${name}.yaml`
    add(`databases/${folder}/${file}`, yaml(object))
    return file
  })
  add(`databases/${folder}/${key}s.yaml`, yaml(names.map((file) => `!include ${file}`)))
  return `!include ${folder}/${key}s.yaml`
}
