import { z } from 'zod'
import { HasuraError, errorBody, within, withinAsync } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import { parseKnownKeys } from '../metadata/read-metadata.ts'
import { type Command, type CommandContext, success } from './command.ts'
import { type CommandSet, findCommand } from './commands.ts'

const envelope = z.looseObject({
  type: z.string(),
  version: z.unknown().optional(),
  args: z.unknown().optional(),
  resource_version: z.number().int().nullish(),
})

/** A parsed request; nothing of it has run yet. */
export type MetadataRequest =
  | { readonly kind: 'command'; readonly command: Command; readonly args: unknown }
  | { readonly kind: 'bulk'; readonly mode: BulkMode; readonly requests: readonly MetadataRequest[] }

type BulkMode = 'bulk' | 'bulk_atomic' | 'bulk_keep_going'

const bulkModes: ReadonlySet<string> = new Set(['bulk', 'bulk_atomic', 'bulk_keep_going', 'concurrent_bulk'])

/** The greatest depth of nested bulks, and the most commands in one. More is a mistake. */
const maxDepth = 4
const maxCommands = 10_000

/** Parses all commands first, so that a bulk with a mistake runs none of them. Throws HasuraError. */
export function parseMetadataRequest(set: CommandSet, body: unknown, depth = 0): MetadataRequest {
  const request = parseOrRefuse(envelope, body, '$')
  const version = request.version ?? 1
  if (version !== 1 && version !== 2) {
    throw new HasuraError('parse-failed', `expected 1 or 2, encountered ${JSON.stringify(version)}`, {
      path: '$.version',
    })
  }
  if (bulkModes.has(request.type)) return parseBulk(set, request.type, request.args, depth)
  const command = findCommand(set, request.type, version)
  if (!command) {
    throw new HasuraError('parse-failed', `unknown ${set} command "${request.type}"`, { path: '$.type' })
  }
  return { kind: 'command', command, args: parseOrRefuse(command.schema, request.args ?? {}, '$') }
}

function parseBulk(set: CommandSet, type: string, args: unknown, depth: number): MetadataRequest {
  if (depth >= maxDepth) throw new HasuraError('parse-failed', 'bulk requests are nested too deep')
  const items = parseOrRefuse(z.array(z.unknown()).max(maxCommands), args, '$.args')
  const requests = items.map((item, index) =>
    within(`.args[${index}]`, () => parseMetadataRequest(set, item, depth + 1)),
  )
  if (type === 'concurrent_bulk') return { kind: 'bulk', mode: 'bulk', requests: requests.map(onlyReading) }
  return { kind: 'bulk', mode: type as BulkMode, requests }
}

/** The reading forms of commands that Hasura runs concurrently. Throws HasuraError for a command that writes. */
function onlyReading(request: MetadataRequest): MetadataRequest {
  if (request.kind === 'bulk') return { ...request, requests: request.requests.map(onlyReading) }
  const { command, args } = request
  if (command.reading === undefined)
    throw new HasuraError('unexpected', 'Only read-only queries are allowed in a concurrent_bulk', {
      status: 500,
    })
  return { ...request, args: command.reading(args) }
}

function parseOrRefuse<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = parseKnownKeys(schema, value)
  if (parsed.kind === 'parsed') return parsed.value
  throw new HasuraError('parse-failed', parsed.problem.message, {
    path: `${path}${parsed.problem.path.slice(1)}`,
  })
}

/** Whether the request increases the resource_version if it succeeds. */
export const changesMetadata = (request: MetadataRequest): boolean =>
  request.kind === 'command' ? request.command.changesMetadata : request.requests.some(changesMetadata)

/** Runs a request against a draft. Throws HasuraError with the path of the command that failed. */
export async function runMetadataRequest(request: MetadataRequest, context: CommandContext): Promise<Json> {
  if (request.kind === 'command')
    return withinAsync('.args', () => request.command.run(request.args, context))
  return request.mode === 'bulk_atomic'
    ? context.draft.atomically(async () => {
        await runBulk(request, context)
        return success
      })
    : runBulk(request, context)
}

async function runBulk(
  { requests, mode }: Extract<MetadataRequest, { kind: 'bulk' }>,
  context: CommandContext,
): Promise<readonly Json[]> {
  const results: Json[] = []
  for (const [index, each] of requests.entries()) {
    const restore = context.draft.checkpoint()
    try {
      results.push(await runMetadataRequest(each, context))
    } catch (error) {
      if (!(error instanceof HasuraError)) throw error
      const located = error.under(`.args[${index}]`)
      if (mode !== 'bulk_keep_going') throw located
      // A failed command may have changed the draft. SQL has transactions of its own and has updated the draft after
      // each.
      if (changesMetadata(each)) restore()
      results.push(errorBody(located))
    }
  }
  return results
}
