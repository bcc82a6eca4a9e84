import {
  changeMerchantStatus,
  closeMerchant,
  confirmMerchantExport,
  defaultDeletionDelay,
  type ClosingOutcome,
  type MerchantEvent,
  type StatusOutcome,
  openMerchant,
  readNewMerchant,
} from '@commerce-graph/actions/merchants'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Sql, TransactionSql } from '@commerce-graph/postgres-driver'
import { createSecretBox } from '@commerce-graph/secret-box'
import {
  type Column,
  fieldLines,
  type Json,
  printList,
  printResult,
  wholeNumber,
  withJson,
  WrongUse,
} from '@commerce-graph/terminal'
import { Command } from 'commander'
import { encryptionKeys, withDatabase } from './command-line.ts'
import { PlatformError } from './platform-error.ts'

interface NewMerchantOptions extends Json {
  readonly name: string
  readonly email: string
  readonly currency: string
  readonly country: string
  readonly timeZone?: string
  readonly language?: string
  readonly origin?: readonly string[]
}

/** Options whose names differ from the contract's fields. */
const optionNames: Readonly<Record<string, string>> = { timezone: 'time-zone', origins: 'origin' }

/** `npm run merchant -- …`: creates, suspends, reinstates and closes merchants. */
export function program(): Command {
  const command = new Command('npm run merchant --').description(
    'The merchants of the platform (docs/operating.md).\n' +
      'The database is that of DATABASE_URL, or of the platform that runs here.',
  )
  withJson(command.command('create'))
    .description('open an empty shop, print its keys, once, and invite its owner by e-mail')
    .requiredOption('--name <name>', 'the shop’s name')
    .requiredOption('--email <email>', 'its e-mail address, and the one that its owner is invited at')
    .requiredOption('--currency <code>', 'its currency, by ISO 4217: USD')
    .requiredOption('--country <code>', 'where it is established, by ISO 3166-1: US')
    .option('--time-zone <name>', 'an IANA time zone: Europe/Berlin (UTC when nothing is said)')
    .option('--language <code>', 'the language of its texts, by ISO 639-1 (en when nothing is said)')
    .option(
      '--origin <origin...>',
      'where its storefront’s pages are, which the publishable key is bound to: https://shop.example',
    )
    .action((options: NewMerchantOptions) => withDatabase((sql) => create(sql, options)))
  withJson(command.command('list'))
    .description('list the merchants, oldest first')
    .action(({ json }: Json) =>
      withDatabase(async (sql) =>
        printList(await findMerchants(sql, null), { json, columns, none: 'There are no merchants.' }),
      ),
    )
  ofOne(command, 'show', 'show a merchant').action((id: string, options: Json) =>
    withDatabase((sql) => show(sql, id, options)),
  )
  addChanges(command)
  return command
}

const ofOne = (command: Command, name: string, description: string): Command =>
  withJson(command.command(name)).description(description).argument('<id>', 'its id, as `list` shows it')

type Reasoned = Json & { readonly reason?: string }

/** The commands that change a merchant, and show it as it is then. */
function addChanges(command: Command): void {
  ofOne(
    command,
    'suspend',
    'refuse every key, user and shopper of a merchant, within a second; its rows stay',
  )
    .option('--reason <text>', 'why, for operators')
    .action((id: string, { reason, json }: Reasoned) =>
      withDatabase((sql) => changeStatus(sql, { id, reason: reason ?? null, json }, 'suspend')),
    )
  ofOne(command, 'reinstate', 'let a suspended or closed merchant in again').action(
    (id: string, { json }: Json) =>
      withDatabase((sql) => changeStatus(sql, { id, reason: null, json }, 'reinstate')),
  )
  ofOne(
    command,
    'confirm-export',
    'write down that a merchant has got all of its data, which closing it needs',
  ).action((id: string, { json }: Json) => withDatabase((sql) => confirmExport(sql, { id, json })))
  ofOne(command, 'close', 'shut a merchant out for good, and delete every row of it after a delay')
    .option('--reason <text>', 'why, for operators')
    .option(
      '--delete-after-days <days>',
      'until then it can be reinstated',
      wholeNumber(1, mostDays),
      defaultDeletionDelay,
    )
    .action((id: string, { reason, deleteAfterDays, json }: Reasoned & { deleteAfterDays: number }) =>
      withDatabase((sql) => close(sql, { id, reason: reason ?? null, deleteAfterDays, json })),
    )
}

async function create(
  sql: Sql,
  { timeZone: timezone, origin: origins, json, ...account }: NewMerchantOptions,
): Promise<void> {
  const read = readNewMerchant({
    ...account,
    ...(timezone !== undefined && { timezone }),
    ...(origins !== undefined && { origins }),
  })
  if (read.kind === 'invalid')
    throw new WrongUse(read.errors.map(({ field, message }) => fault(field, message)).join('\n'))
  const secretBox = createSecretBox(await encryptionKeys())
  const opened = await sql.begin(async (transaction) => {
    const outcome = await openMerchant({ sql: transaction, secretBox }, read.input.input)
    if (outcome.outcome === 'opened') await record(transaction, 'createMerchant', outcome.merchantId)
    return outcome
  })
  if (opened.outcome === 'unknown_language')
    throw new WrongUse(fault('language', 'There is no such language here'))
  const { merchantId, liveKey, testKey, publishableKey } = opened
  printResult(
    { merchantId, liveKey, testKey, publishableKey },
    { json },
    () =>
      `The merchant ${merchantId} (${account.name}).\n\nlive key         ${liveKey}\ntest key         ${testKey}\npublishable key  ${publishableKey}\n\n` +
      `The keys are shown this once. ${account.email} gets an invitation as the owner.`,
  )
}

function fault(field: string, message: string): string {
  const [name = field] = field.split('.')
  return `--${optionNames[name] ?? name}: ${message}`
}

const mostDays = 3650

/** The merchant that is changed. */
interface Changed extends Json {
  readonly id: string
}

const changeStatus = (
  sql: Sql,
  { reason, ...changed }: Changed & { readonly reason: string | null },
  event: Exclude<MerchantEvent, 'close'>,
): Promise<void> =>
  change(sql, changed, {
    operation: `${event}Merchant`,
    run: (transaction, merchantId) => changeMerchantStatus(transaction, { merchantId, reason }, event),
  })

const confirmExport = (sql: Sql, changed: Changed): Promise<void> =>
  change(sql, changed, {
    operation: 'confirmMerchantExport',
    run: async (transaction, merchantId) => ({
      outcome: (await confirmMerchantExport(transaction, merchantId)) ? 'changed' : 'unknown',
    }),
  })

const close = (
  sql: Sql,
  {
    reason,
    deleteAfterDays,
    ...changed
  }: Changed & { readonly reason: string | null; readonly deleteAfterDays: number },
): Promise<void> =>
  change(sql, changed, {
    operation: 'closeMerchant',
    run: (transaction, merchantId) => closeMerchant(transaction, { merchantId, reason, deleteAfterDays }),
  })

/** A change that an operator makes to one merchant, and its name in the audit log. */
interface Change {
  readonly operation: string
  readonly run: (sql: TransactionSql, merchantId: MerchantId) => Promise<StatusOutcome | ClosingOutcome>
}

/** Changes the merchant and writes it down, in one transaction, and shows the merchant. */
async function change(sql: Sql, { id, json }: Changed, { operation, run }: Change): Promise<void> {
  const merchantId = idOf(id)
  const outcome = await sql.begin(async (transaction) => {
    const changed = await run(transaction, merchantId)
    if (changed.outcome === 'changed') await record(transaction, operation, merchantId)
    return changed
  })
  switch (outcome.outcome) {
    case 'changed':
      await show(sql, id, { json })
      return
    case 'not_allowed':
      throw new PlatformError(`The merchant ${id} is ${outcome.status}.`)
    case 'not_exported':
      throw new PlatformError(
        `The merchant ${id} has to get its data first: \`npm run merchant -- confirm-export ${id}\` says that it has, for 30 days.`,
      )
    case 'unknown':
      throw unknown(id)
    default:
      outcome satisfies never
  }
}

interface MerchantRow {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly country: string | null
  readonly currency: string
  readonly timezone: string
  readonly language: string
  readonly status: string
  readonly statusSince: Date
  readonly statusReason: string | null
  readonly dataExportedAt: Date | null
  readonly deletesAt: Date | null
  readonly plan: string
  readonly subscriptionStatus: string
  readonly createdAt: Date
}

/** @param id null: all of them */
const findMerchants = async (sql: Sql, id: string | null): Promise<readonly MerchantRow[]> => sql<
  MerchantRow[]
>`
    SELECT
      id, name, email, country, currency, timezone, language, status, status_since AS "statusSince",
      status_reason AS "statusReason", data_exported_at AS "dataExportedAt", deletes_at AS "deletesAt", plan, subscription_status AS "subscriptionStatus", created_at AS "createdAt"
    FROM operator.merchant
    WHERE ${id}::uuid IS NULL OR id = ${id}
    ORDER BY created_at, id`

async function show(sql: Sql, id: string, { json }: Json): Promise<void> {
  const [merchant] = await findMerchants(sql, idOf(id))
  if (merchant === undefined) throw unknown(id)
  printResult(merchant, { json }, () => fieldLines(merchant))
}

const columns: readonly Column<MerchantRow>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'status', of: ({ status }) => status },
  { title: 'plan', of: ({ plan, subscriptionStatus }) => `${plan} ${subscriptionStatus}` },
  { title: 'currency', of: ({ currency }) => currency },
  { title: 'made', of: ({ createdAt }) => createdAt },
  { title: 'name', of: ({ name }) => name },
]

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function idOf(text: string): MerchantId {
  if (!uuid.test(text)) throw unknown(text)
  return text as MerchantId
}

const unknown = (id: string) =>
  new PlatformError(`There is no merchant ${id}; \`npm run merchant -- list\` shows the ids.`)

/** Records an operator's change of a merchant, in the same transaction. */
async function record(sql: TransactionSql, operation: string, merchantId: MerchantId): Promise<void> {
  const entry = {
    merchant_id: merchantId,
    actor_kind: 'OPERATOR',
    source: 'COMMAND_LINE',
    operation,
    target_ids: [merchantId],
    outcome: 'DONE',
  }
  await sql`SELECT audit.append(${sql.json([entry])})`
}
