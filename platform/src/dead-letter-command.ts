import { settleDeadLetters, type Settlement } from '@commerce-graph/actions/dead-letters'
import { noMerchant } from '@commerce-graph/contract/ids'
import type { Sql, TransactionSql } from '@commerce-graph/postgres-driver'
import {
  type Column,
  type Json,
  printList,
  printResult,
  wholeNumber,
  withJson,
  WrongUse,
} from '@commerce-graph/terminal'
import { Command, Option } from 'commander'
import { withDatabase } from './command-line.ts'
import { PlatformError } from './platform-error.ts'

const kinds = ['JOB', 'EVENT', 'CRON_EVENT', 'ONE_OFF_EVENT', 'WEBHOOK_DELIVERY'] as const
type Kind = (typeof kinds)[number]

/** As many as the database lists of all kinds together. */
const mostListed = 5_000
/** An entry of the audit log names as many ids at most. */
const idsOfAnEntry = 100

interface Selection {
  readonly kind?: Kind
  readonly name?: string
}

/** `npm run operator -- dead-letters …`: what was given up after its last attempt. */
export function deadLetterCommand(): Command {
  const command = new Command('dead-letters').description(
    'jobs, events and webhooks that were given up after their last attempt (docs/runbooks.md)',
  )
  withSelection(command.command('list'))
    .description('list them, the one that failed last first')
    .option('--limit <n>', `how many, 1 to ${mostListed}`, wholeNumber(1, mostListed), 50)
    .action(({ limit, json, ...selection }: Selection & Json & { limit: number }) =>
      withDatabase(async (sql) =>
        printList(await findDeadLetters(sql, selection, limit), {
          json,
          columns,
          none: 'There are no dead letters.',
        }),
      ),
    )
  settling(command, 'retry', 'try them again, with all their attempts')
  settling(command, 'drop', 'drop them for good')
  return command
}

const withSelection = (command: Command): Command =>
  withJson(command)
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(kinds))
    .option('--name <name>', 'only those of this job, trigger or topic')

function settling(command: Command, settlement: Settlement, description: string): void {
  withSelection(command.command(settlement))
    .description(description)
    .argument('[ids...]', 'their ids, as `list` shows them')
    .option('--all', 'all that `list` shows, or those of --kind and --name')
    .action((ids: readonly string[], options: Selection & Json & { all?: true }) =>
      withDatabase((sql) => settle(sql, ids, settlement, options)),
    )
}

async function settle(
  sql: Sql,
  named: readonly string[],
  settlement: Settlement,
  { all, json, ...selection }: Selection & Json & { readonly all?: true },
): Promise<void> {
  if (named.length > 0 === (all === true)) throw new WrongUse('Name ids, or say --all.')
  if (!all && Object.keys(selection).length > 0) throw new WrongUse('--kind and --name go with --all.')
  for (const id of named) if (!uuid.test(id)) throw unknown(id)
  const ids = all ? (await findDeadLetters(sql, selection, mostListed)).map(({ id }) => id) : named
  const count = await sql.begin(async (transaction) => {
    const outcome = await settleDeadLetters(transaction, ids, settlement)
    if (outcome.outcome === 'unknown') throw unknown(ids[outcome.index] ?? '')
    await record(transaction, ids, settlement)
    return outcome.count
  })
  const done = settlement === 'retry' ? 'are tried again' : 'are dropped'
  printResult({ count }, { json }, () => `${count} ${done}.`)
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const unknown = (id: string) =>
  new PlatformError(
    `There is no dead letter ${id}; \`npm run operator -- dead-letters list\` shows the ids. Nothing was done.`,
  )

/** Records the change in the audit log, in the same transaction. */
async function record(sql: TransactionSql, ids: readonly string[], settlement: Settlement): Promise<void> {
  const parts = Array.from({ length: Math.ceil(ids.length / idsOfAnEntry) }, (_, part) =>
    ids.slice(part * idsOfAnEntry, (part + 1) * idsOfAnEntry),
  )
  const entries = parts.map((target_ids) => ({
    merchant_id: noMerchant,
    actor_kind: 'OPERATOR',
    source: 'COMMAND_LINE',
    operation: `${settlement}DeadLetters`,
    target_ids,
    outcome: 'DONE',
  }))
  if (entries.length > 0) await sql`SELECT audit.append(${sql.json(entries)})`
}

interface DeadLetter {
  readonly id: string
  readonly kind: Kind
  readonly queue: string
  readonly name: string
  readonly sourceId: string
  readonly merchantId: string | null
  readonly attempts: number
  readonly error: string | null
  readonly createdAt: Date
  readonly failedAt: Date
}

const findDeadLetters = async (
  sql: Sql,
  { kind, name }: Selection,
  limit: number,
): Promise<readonly DeadLetter[]> => sql<DeadLetter[]>`
  SELECT
    id, kind, queue, name, source_id AS "sourceId", merchant_id AS "merchantId", attempts, error,
    created_at AS "createdAt", failed_at AS "failedAt"
  FROM operator.dead_letter
  WHERE (${kind ?? null}::text IS NULL OR kind = ${kind ?? null})
    AND (${name ?? null}::text IS NULL OR name = ${name ?? null})
  ORDER BY failed_at DESC, id
  LIMIT ${limit}`

const columns: readonly Column<DeadLetter>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'kind', of: ({ kind }) => kind },
  { title: 'name', of: ({ queue, name }) => `${queue}/${name}` },
  { title: 'failed', of: ({ failedAt }) => failedAt },
  { title: 'attempts', of: ({ attempts }) => attempts },
  { title: 'error', of: ({ error }) => firstLine(error ?? '') },
]

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 120)
