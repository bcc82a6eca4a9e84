import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { parseJson } from '../metadata/read-metadata.ts'
import type { Json } from '../metadata/parse.ts'
import type { Caller } from './command.ts'
import { type CommandSet, findCommand } from './commands.ts'
import type { Workspace } from './workspace.ts'

/**
 * `/v1/query`, Hasura's API before metadata and SQL got endpoints of their own: each command is what it is called today,
 * for the source `default`. Commands of a bulk run one after the other, and those before a failure stay done.
 */

const request = z.looseObject({
  type: z.string(),
  version: z.unknown().optional(),
  args: z.unknown().optional(),
})
type Request = z.output<typeof request>

/** Rows as JSON, which GraphQL does since. */
const rowCommands: ReadonlySet<string> = new Set(['select', 'insert', 'update', 'delete', 'count'])

const maxCommands = 10_000

/** Runs a request. Throws HasuraError. */
export const runQueryV1 = async (workspace: Workspace, body: unknown, caller: Caller): Promise<Json> => {
  const parsed = parseJson(request, body)
  if (parsed.kind === 'invalid') throw new HasuraError('parse-failed', parsed.problem.message, parsed.problem)
  const { type, args } = parsed.value
  if (type !== 'bulk') return run(workspace, parsed.value, caller)
  if (!Array.isArray(args) || args.length > maxCommands)
    throw new HasuraError('parse-failed', `a bulk has a list of at most ${maxCommands} commands`, {
      path: '$.args',
    })
  const answers: Json[] = []
  for (const [index, each] of args.entries()) {
    try {
      answers.push(await runQueryV1(workspace, each, caller))
    } catch (error) {
      throw error instanceof HasuraError ? error.under(`.args[${index}]`) : error
    }
  }
  return answers
}

const run = (workspace: Workspace, given: Request, caller: Caller): Promise<Json> => {
  const { set, body } = translated(given)
  return workspace.handle(set, body, caller)
}

const translated = (given: Request): { readonly set: CommandSet; readonly body: Request } => {
  const { type, args } = given
  if (rowCommands.has(type))
    throw new HasuraError(
      'not-supported',
      `"${type}" of /v1/query is not there in this engine: GraphQL reads and writes rows`,
      { path: '$.type' },
    )
  if (findCommand('query', type, 1)) return { set: 'query', body: given }
  const { name, args: today } = todaysCommand(type, args)
  return { set: 'metadata', body: { ...given, type: name, ...(today === undefined ? {} : { args: today }) } }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Arguments that may be the name alone. */
const named = (args: unknown, key: string): unknown =>
  isRecord(args) && key in args ? args : { [key]: args }

const todaysCommand = (type: string, args: unknown): { readonly name: string; readonly args: unknown } => {
  switch (type) {
    case 'add_existing_table_or_view':
    case 'track_table':
      return { name: 'pg_track_table', args: named(args, 'table') }
    case 'track_function':
    case 'untrack_function':
      return { name: `pg_${type}`, args: named(args, 'function') }
    case 'set_table_custom_fields': {
      if (!isRecord(args)) return { name: 'pg_set_table_customization', args }
      const { custom_root_fields, custom_column_names, ...rest } = args
      const configuration = { custom_root_fields, custom_column_names }
      return { name: 'pg_set_table_customization', args: { ...rest, configuration } }
    }
    default:
      return { name: findCommand('metadata', `pg_${type}`, 1) ? `pg_${type}` : type, args }
  }
}
