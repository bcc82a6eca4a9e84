import {
  changeMerchantStatus,
  type MerchantEvent,
  openMerchant,
  readNewMerchant,
} from '@commerce-graph/actions'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Sql, TransactionSql } from '@commerce-graph/postgres-driver'
import { createSecretBox } from '@commerce-graph/secret-box'
import { Command } from 'commander'
import { encryptionKeys, time, withDatabase } from './command-line.ts'
import { PlatformError } from './platform-error.ts'

interface NewMerchantOptions {
  readonly name: string
  readonly email: string
  readonly currency: string
  readonly country: string
  readonly timeZone?: string
  readonly language?: string
  readonly json?: true
}

/** Where an option has another name than the contract's field. */
const optionNames: Readonly<Record<string, string>> = { timezone: 'time-zone' }

/** `npm run merchant -- …`: opens merchants and shuts them out. Its promise rejects with an Error whose message is for the terminal. */
export function program(): Command {
  const command = new Command('npm run merchant --')
    .description(
      'The merchants of the platform (docs/operating.md).\n' +
        'The database is that of DATABASE_URL, or of the platform that runs here.',
    )
    .showHelpAfterError()
  command
    .command('create')
    .description('open an empty shop, print its keys, once, and invite its owner by e-mail')
    .requiredOption('--name <name>', 'the shop’s name')
    .requiredOption('--email <email>', 'its e-mail address, and the one that its owner is invited at')
    .requiredOption('--currency <code>', 'its currency, by ISO 4217: USD')
    .requiredOption('--country <code>', 'where it is established, by ISO 3166-1: US')
    .option('--time-zone <name>', 'an IANA time zone: Europe/Berlin (UTC when nothing is said)')
    .option('--language <code>', 'the language of its texts, by ISO 639-1 (en when nothing is said)')
    .option('--json', 'print the merchant’s id and keys as one line of JSON')
    .action((options: NewMerchantOptions) => withDatabase((sql) => create(sql, options)))
  command
    .command('list')
    .description('list the merchants, oldest first')
    .option('--json', 'print one merchant a line, as JSON')
    .action(({ json }: { json?: true }) =>
      withDatabase(async (sql) => {
        const merchants = await findMerchants(sql, null)
        if (merchants.length > 0 || !json) console.log(json ? lines(merchants) : table(merchants))
      }),
    )
  command
    .command('show')
    .description('show a merchant')
    .argument('<id>', 'its id, as `list` shows it')
    .option('--json', 'print it as one line of JSON')
    .action((id: string, { json }: { json?: true }) => withDatabase((sql) => show(sql, id, json === true)))
  command
    .command('suspend')
    .description('refuse every key, user and shopper of a merchant, within a second; its rows stay')
    .argument('<id>', 'its id, as `list` shows it')
    .option('--reason <text>', 'why, for operators')
    .action((id: string, { reason }: { reason?: string }) =>
      withDatabase((sql) => changeStatus(sql, { id, reason: reason ?? null }, 'suspend')),
    )
  command
    .command('reinstate')
    .description('let a suspended merchant in again')
    .argument('<id>', 'its id, as `list` shows it')
    .action((id: string) => withDatabase((sql) => changeStatus(sql, { id, reason: null }, 'reinstate')))
  return command
}

async function create(sql: Sql, { timeZone: timezone, json, ...account }: NewMerchantOptions): Promise<void> {
  const read = readNewMerchant({ ...account, ...(timezone !== undefined && { timezone }) })
  if (read.kind === 'invalid')
    throw new PlatformError(read.errors.map(({ field, message }) => fault(field, message)).join('\n'))
  const secretBox = createSecretBox(await encryptionKeys())
  const opened = await sql.begin(async (transaction) => {
    const outcome = await openMerchant({ sql: transaction, secretBox }, read.input.input)
    if (outcome.outcome === 'opened') await record(transaction, 'createMerchant', outcome.merchantId)
    return outcome
  })
  if (opened.outcome === 'unknown_language')
    throw new PlatformError(fault('language', 'There is no such language here'))
  const { merchantId, liveKey, testKey } = opened
  console.log(
    json
      ? JSON.stringify({ merchantId, liveKey, testKey })
      : `The merchant ${merchantId} (${account.name}).\n\nlive key  ${liveKey}\ntest key  ${testKey}\n\n` +
          `The keys are shown this once. ${account.email} gets an invitation as the owner.`,
  )
}

const fault = (field: string, message: string) => `--${optionNames[field] ?? field}: ${message}`

async function changeStatus(
  sql: Sql,
  { id, reason }: { readonly id: string; readonly reason: string | null },
  event: MerchantEvent,
): Promise<void> {
  const merchantId = idOf(id)
  const outcome = await sql.begin(async (transaction) => {
    const changed = await changeMerchantStatus(transaction, { merchantId, reason }, event)
    if (changed.outcome === 'changed') await record(transaction, `${event}Merchant`, merchantId)
    return changed
  })
  switch (outcome.outcome) {
    case 'changed':
      await show(sql, id, false)
      return
    case 'not_allowed':
      throw new PlatformError(`The merchant ${id} is ${outcome.status}.`)
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
      status_reason AS "statusReason", plan, subscription_status AS "subscriptionStatus", created_at AS "createdAt"
    FROM operator.merchant
    WHERE ${id}::uuid IS NULL OR id = ${id}
    ORDER BY created_at, id`

async function show(sql: Sql, id: string, json: boolean): Promise<void> {
  const [merchant] = await findMerchants(sql, idOf(id))
  if (merchant === undefined) throw unknown(id)
  console.log(
    json
      ? lines([merchant])
      : Object.entries(merchant)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name}: ${value instanceof Date ? time(value) : String(value)}`)
          .join('\n'),
  )
}

const lines = (merchants: readonly MerchantRow[]) =>
  merchants.map((merchant) => JSON.stringify(merchant)).join('\n')

function table(merchants: readonly MerchantRow[]): string {
  if (merchants.length === 0) return 'There are no merchants.'
  return merchants
    .map(({ id, status, plan, subscriptionStatus, currency, createdAt, name }) =>
      [id, status, `${plan} ${subscriptionStatus}`, currency, `made ${time(createdAt)}`, name].join('  '),
    )
    .join('\n')
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function idOf(text: string): MerchantId {
  if (!uuid.test(text)) throw unknown(text)
  return text as MerchantId
}

const unknown = (id: string) =>
  new PlatformError(`There is no merchant ${id}; \`npm run merchant -- list\` shows the ids.`)

/** Writes down what was done to a merchant, in the transaction that did it. */
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
