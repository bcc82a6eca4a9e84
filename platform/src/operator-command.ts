import {
  createOperatorKey,
  listOperatorKeys,
  type OperatorKey,
  operatorLog,
  type OperatorLogEntry,
  revokeOperatorKey,
} from '@commerce-graph/auth-webhook'
import { Command, InvalidArgumentError } from 'commander'
import type { Sql } from '@commerce-graph/postgres-driver'
import { time, withDatabase } from './command-line.ts'
import { type ListedProcess, runningProcesses } from './running-processes.ts'
import { deadLetterCommand } from './dead-letter-command.ts'
import { PlatformError } from './platform-error.ts'

const maxName = 100
const maxLog = 1000

/**
 * `npm run operator -- …`: creates, lists and revokes operators' keys in the platform's database, and settles dead letters.
 * There is no other way to create a key, so no key of the API can. Its promise rejects with an Error whose message is for the
 * terminal.
 */
export function program(): Command {
  const command = new Command('npm run operator --')
    .description(
      'Operators’ keys (docs/authentication.md), for who runs the platform and for its billing; and what the platform gave up.\n' +
        'The database is that of DATABASE_URL, or of the platform that runs here.',
    )
    .showHelpAfterError()
  command
    .command('create')
    .description('make a key and print it, once: only its hash is kept')
    .requiredOption('--name <name>', `what it is for, 1 to ${maxName} characters`, name)
    .action(({ name }: { name: string }) =>
      withDatabase(async (sql) => {
        const { id, key } = await createOperatorKey(sql, name)
        console.log(`${key}\n\nThe key ${id} (${name}). It is shown this once.`)
      }),
    )
  command
    .command('list')
    .description('list the keys, those that were revoked too')
    .action(() => withDatabase(async (sql) => console.log(table(await listOperatorKeys(sql)))))
  command
    .command('revoke')
    .description('end a key for good')
    .argument('<id>', 'its id, as `list` shows it')
    .action((id: string) => withDatabase((sql) => revoke(sql, id)))
  command
    .command('log')
    .description('what was done with operators’ keys and to them, latest first')
    .option('--limit <n>', `how many entries, 1 to ${maxLog}`, limit, 50)
    .action(({ limit }: { limit: number }) =>
      withDatabase(async (sql) => console.log((await operatorLog(sql, limit)).map(logLine).join('\n'))),
    )
  command
    .command('processes')
    .description('the processes that run, with their versions and the fingerprints of their secrets')
    .option('--json', 'print one a line, as JSON')
    .action(({ json }: { json?: true }) =>
      withDatabase(async (sql) => {
        const running = await runningProcesses(sql)
        if (running.length > 0 || !json)
          console.log(json ? running.map((one) => JSON.stringify(one)).join('\n') : processTable(running))
      }),
    )
  command.addCommand(deadLetterCommand())
  return command
}

async function revoke(sql: Sql, id: string): Promise<void> {
  const outcome = await revokeOperatorKey(sql, id)
  switch (outcome) {
    case 'revoked':
      console.log(`The key ${id} is revoked.`)
      return
    case 'revoked before':
      console.log(`The key ${id} was revoked before.`)
      return
    case 'unknown':
      throw new PlatformError(`There is no key ${id}; \`npm run operator -- list\` shows the ids.`)
    default:
      outcome satisfies never
  }
}

function name(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || Array.from(trimmed).length > maxName)
    throw new InvalidArgumentError(`must have 1 to ${maxName} characters`)
  return trimmed
}

function limit(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > maxLog)
    throw new InvalidArgumentError(`must be a whole number from 1 to ${maxLog}`)
  return number
}

function table(keys: readonly OperatorKey[]): string {
  if (keys.length === 0) return 'There are no operators’ keys.'
  return keys
    .map(({ id, prefix, createdAt, lastUsedAt, revokedAt, name }) =>
      [
        id,
        `${prefix}…`,
        `made ${time(createdAt)}`,
        revokedAt === null
          ? `last used ${lastUsedAt === null ? 'never' : time(lastUsedAt)}`
          : `revoked ${time(revokedAt)}`,
        name,
      ].join('  '),
    )
    .join('\n')
}

function processTable(processes: readonly ListedProcess[]): string {
  if (processes.length === 0) return 'No process runs.'
  return processes
    .map(({ roles, host, pid, startedAt, seenAt, settings }) =>
      [
        roles.join(','),
        `${host} ${pid}`,
        `started ${time(startedAt)}`,
        `seen ${time(seenAt)}`,
        ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      ].join('  '),
    )
    .join('\n')
}

const logLine = ({
  createdAt,
  keyName,
  source,
  operation,
  merchantId,
  targetIds,
  outcome,
  codes,
}: OperatorLogEntry) =>
  [
    time(createdAt),
    keyName ?? source,
    operation ?? 'access',
    [outcome, ...codes].join(' '),
    ...(merchantId === null ? [] : [`merchant ${merchantId}`]),
    ...targetIds,
  ].join('  ')
