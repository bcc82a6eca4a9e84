import {
  createOperatorKey,
  listOperatorKeys,
  type OperatorKey,
  operatorLog,
  revokeOperatorKey,
} from '@commerce-graph/auth-webhook/operator-key'
import {
  type Column,
  type Json,
  printList,
  printResult,
  time,
  wholeNumber,
  withJson,
} from '@commerce-graph/terminal'
import { Command, InvalidArgumentError } from 'commander'
import type { Sql } from '@commerce-graph/postgres-driver'
import { withDatabase } from './command-line.ts'
import { type ListedProcess, runningProcesses } from './running-processes.ts'
import { deadLetterCommand } from './dead-letter-command.ts'
import { PlatformError } from './platform-error.ts'

const maxName = 100
const maxLog = 1000

/**
 * `npm run operator -- …`: creates, lists and revokes operators' keys in the platform's database, and settles dead letters.
 * There is no other way to create a key, so no key of the API can.
 */
export function program(): Command {
  const command = new Command('npm run operator --').description(
    'Operators’ keys (docs/authentication.md), for who runs the platform and for its billing; and what the platform gave up.\n' +
      'The database is that of DATABASE_URL, or of the platform that runs here.',
  )
  withJson(command.command('create'))
    .description('make a key and print it, once: only its hash is kept')
    .requiredOption('--name <name>', `what it is for, 1 to ${maxName} characters`, name)
    .action(({ name, json }: Json & { name: string }) =>
      withDatabase(async (sql) => {
        const { id, key } = await createOperatorKey(sql, name)
        printResult(
          { id, name, key },
          { json },
          () => `${key}\n\nThe key ${id} (${name}). It is shown this once.`,
        )
      }),
    )
  withJson(command.command('list'))
    .description('list the keys, those that were revoked too')
    .action(({ json }: Json) =>
      withDatabase(async (sql) =>
        printList(await listOperatorKeys(sql), {
          json,
          columns: keyColumns,
          none: 'There are no operators’ keys.',
        }),
      ),
    )
  withJson(command.command('revoke'))
    .description('end a key for good')
    .argument('<id>', 'its id, as `list` shows it')
    .action((id: string, options: Json) => withDatabase((sql) => revoke(sql, id, options)))
  withJson(command.command('log'))
    .description('what was done with operators’ keys and to them, latest first')
    .option('--limit <n>', `how many entries, 1 to ${maxLog}`, wholeNumber(1, maxLog), 50)
    .action(({ limit, json }: Json & { limit: number }) =>
      withDatabase(async (sql) =>
        printList(await operatorLog(sql, limit), {
          json,
          columns: logColumns,
          none: 'Nothing was done with operators’ keys.',
        }),
      ),
    )
  withJson(command.command('processes'))
    .description('the processes that run, with their versions and the fingerprints of their secrets')
    .action(({ json }: Json) =>
      withDatabase(async (sql) =>
        printList(await runningProcesses(sql), { json, columns: processColumns, none: 'No process runs.' }),
      ),
    )
  command.addCommand(deadLetterCommand())
  return command
}

async function revoke(sql: Sql, id: string, { json }: Json): Promise<void> {
  const outcome = await revokeOperatorKey(sql, id)
  if (outcome === 'unknown')
    throw new PlatformError(`There is no key ${id}; \`npm run operator -- list\` shows the ids.`)
  const before = outcome === 'revoked before'
  printResult({ id, revokedBefore: before }, { json }, () =>
    before ? `The key ${id} was revoked before.` : `The key ${id} is revoked.`,
  )
}

function name(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || Array.from(trimmed).length > maxName)
    throw new InvalidArgumentError(`must have 1 to ${maxName} characters`)
  return trimmed
}

const keyColumns: readonly Column<OperatorKey>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'key', of: ({ prefix }) => `${prefix}…` },
  { title: 'made', of: ({ createdAt }) => createdAt },
  {
    title: 'used',
    of: ({ lastUsedAt, revokedAt }) =>
      revokedAt === null
        ? `last used ${lastUsedAt === null ? 'never' : time(lastUsedAt)}`
        : `revoked ${time(revokedAt)}`,
  },
  { title: 'name', of: ({ name }) => name },
]

const processColumns: readonly Column<ListedProcess>[] = [
  { title: 'roles', of: ({ roles }) => roles.join(',') },
  { title: 'process', of: ({ host, pid }) => `${host} ${pid}` },
  { title: 'started', of: ({ startedAt }) => startedAt },
  { title: 'seen', of: ({ seenAt }) => seenAt },
  {
    title: 'settings',
    of: ({ settings }) =>
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}`)
        .join('  '),
  },
]

const logColumns: readonly Column<Awaited<ReturnType<typeof operatorLog>>[number]>[] = [
  { title: 'time', of: ({ createdAt }) => createdAt },
  { title: 'by', of: ({ keyName, source }) => keyName ?? source },
  { title: 'what', of: ({ operation }) => operation ?? 'access' },
  { title: 'outcome', of: ({ outcome, codes }) => [outcome, ...codes].join(' ') },
  { title: 'merchant', of: ({ merchantId }) => (merchantId === null ? null : `merchant ${merchantId}`) },
  { title: 'of', of: ({ targetIds }) => targetIds.join('  ') },
]
