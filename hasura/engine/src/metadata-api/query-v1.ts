import { z } from 'zod'
import { withPlainNumbers } from '../exact-json.ts'
import { HasuraError, within, withinAsync } from '../hasura-error.ts'
import { parseJson } from '../metadata/read-metadata.ts'
import type { Json } from '../metadata/parse.ts'
import type { RowCaller, RowCommands } from '../rows/row-commands.ts'
import { type RowCommand, isRowCommand, parseRowCommand } from '../rows/row-command.ts'
import { type CommandSet, findCommand } from './commands.ts'
import type { Workspace } from './workspace.ts'

/**
 * `/v1/query`, Hasura's API from before metadata and SQL had endpoints of their own. Each command is the present one of
 * that name, for the source `default`. Commands of a bulk run one after the other, and those before a failure keep
 * their effect. Every role may send the commands that read and write rows.
 */

const request = z.looseObject({
  type: z.string(),
  version: z.unknown().optional(),
  args: z.unknown().optional(),
})
type Request = z.output<typeof request>

/** The services that run the commands, and the caller. */
export interface QueryV1Context {
  readonly workspace: Workspace
  readonly rows: RowCommands
  readonly caller: Omit<RowCaller, 'snapshot'>
}

const maxCommands = 10_000
const maxDepth = 4

/** Runs a request. Throws HasuraError. */
export async function runQueryV1(context: QueryV1Context, body: unknown): Promise<Json> {
  const query = parseQuery(body, 0)
  if (!context.caller.session.isAdmin && requiresAdmin(query))
    throw new HasuraError('access-denied', 'restricted access : admin only', { path: '$.args' })
  return runQuery(context, query)
}

type Query =
  | { readonly kind: 'bulk'; readonly queries: readonly Query[] }
  | { readonly kind: 'rows'; readonly command: RowCommand }
  | { readonly kind: 'command'; readonly request: Request }

function parseQuery(body: unknown, depth: number): Query {
  const parsed = parseJson(request, body)
  if (parsed.kind === 'invalid') throw new HasuraError('parse-failed', parsed.problem.message, parsed.problem)
  const { type, args } = parsed.value
  if (isRowCommand(type)) return { kind: 'rows', command: parseRowCommand(type, args) }
  if (type !== 'bulk') return { kind: 'command', request: parsed.value }
  if (!Array.isArray(args) || args.length > maxCommands || depth >= maxDepth)
    throw new HasuraError(
      'parse-failed',
      `a bulk has a list of at most ${maxCommands} commands, and bulks in it are nested ${maxDepth} deep at most`,
      { path: '$.args' },
    )
  return {
    kind: 'bulk',
    queries: args.map((each, index) => within(`.args[${index}]`, () => parseQuery(each, depth + 1))),
  }
}

const requiresAdmin = (query: Query): boolean =>
  query.kind === 'bulk' ? query.queries.some(requiresAdmin) : query.kind === 'command'

async function runQuery(context: QueryV1Context, query: Query): Promise<Json> {
  const { workspace, rows, caller } = context
  switch (query.kind) {
    case 'rows':
      return withinAsync('.args', () => rows.run(query.command, { ...caller, snapshot: workspace.snapshot }))
    case 'command': {
      const { set, body } = translated(query.request)
      return workspace.handle(set, withPlainNumbers(body), caller)
    }
    case 'bulk': {
      const answers: Json[] = []
      for (const [index, each] of query.queries.entries())
        answers.push(await withinAsync(`.args[${index}]`, () => runQuery(context, each)))
      return answers
    }
    default:
      return query satisfies never
  }
}

function translated(given: Request): { readonly set: CommandSet; readonly body: Request } {
  const { type, args } = given
  if (findCommand('query', type, 1)) return { set: 'query', body: given }
  const { name, args: today } = todaysCommand(type, args)
  return { set: 'metadata', body: { ...given, type: name, ...(today === undefined ? {} : { args: today }) } }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Arguments that may be just the name. */
const named = (args: unknown, key: string): unknown =>
  isRecord(args) && key in args ? args : { [key]: args }

function todaysCommand(type: string, args: unknown): { readonly name: string; readonly args: unknown } {
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
