import {
  type Verdict,
  verifyPayments,
  type VerifyOptions,
  verifyRows,
} from '@commerce-graph/actions/verification'
import type { Sql } from '@commerce-graph/postgres-driver'
import { createSecretBox } from '@commerce-graph/secret-box'
import { type Json, wholeNumber, withJson } from '@commerce-graph/terminal'
import { Command, InvalidArgumentError } from 'commander'
import { styleText } from 'node:util'
import { z } from 'zod'
import { encryptionKeys, readReadyFile, withDatabase } from './command-line.ts'
import { readConfiguration } from './configuration.ts'
import { PlatformError } from './platform-error.ts'

interface Options extends Json {
  readonly merchant?: string
  readonly processors?: true
  readonly days: number
  readonly show: number
}

const mostShown = 10_000
const mostDays = 3_650
const dayMs = 86_400_000

/**
 * `npm run verify`: compares every derived value of the database with the rows that it is derived from. It writes nothing, and a
 * running platform goes on meanwhile. The process ends with 1 if there is a disagreement, and with 2 if it could not check.
 */
export const program = (): Command =>
  withJson(new Command('npm run verify --'), 'print a line of JSON for each rule')
    .description(
      'Checks that stock, sums of orders, refunds, points, links and reports agree with the rows that they come from.\n' +
        'The database is that of DATABASE_URL, or of the platform that runs here. Nothing is changed.',
    )
    .option('--merchant <id>', 'only this merchant', uuid)
    .option('--processors', 'also compare payments with the books of the payment processors')
    .option(
      '--days <n>',
      'with --processors: payments that changed in so many days',
      wholeNumber(1, mostDays),
      7,
    )
    .option('--show <n>', 'how many disagreements of each rule are printed', wholeNumber(1, mostShown), 20)
    .addHelpText(
      'after',
      '\nEnds with 0 if all agrees, with 1 if something disagrees, with 2 if it could not be checked.',
    )
    .action((options: Options) =>
      withDatabase(async (sql) => {
        process.exitCode = (await verify(sql, options)) ? 0 : 1
      }),
    )

/** Returns whether everything agrees. */
async function verify(sql: Sql, options: Options): Promise<boolean> {
  const scope: VerifyOptions = { merchantId: options.merchant, mostShown: options.show }
  let wrong = 0
  let rules = 0
  const tell = (verdict: Verdict): void => {
    rules += 1
    if (verdict.disagreements > 0) wrong += 1
    console.log(options.json === true ? JSON.stringify(verdict) : linesOf(verdict))
  }
  await sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (snapshot) => {
    for await (const verdict of verifyRows(snapshot, scope)) tell(verdict)
  })
  if (rules === 0)
    throw new PlatformError(
      'this database has no rules to check: run npm run migrate, or check the database’s name in DATABASE_URL',
    )
  if (options.processors === true) tell(await comparePayments(sql, options, scope))
  if (options.json !== true)
    console.log(wrong === 0 ? `\nAll ${rules} rules hold.` : `\n${wrong} of ${rules} rules are broken.`)
  return wrong === 0
}

/** The accounts are those of the database and of this environment, which must be the platform's. */
async function comparePayments(sql: Sql, { days }: Options, scope: VerifyOptions): Promise<Verdict> {
  // Loaded here, because it takes three times as long as all that the other rules need.
  const { createStripeProcessor, findProcessor, openPaymentAccounts, paypalAddress } =
    await import('@commerce-graph/actions')
  const { stripeSecretKey, stripeApiUrl, paypalApiUrl, mode } = readConfiguration(process.env)
  const sandbox = (await readReadyFile(z.object({ paymentSandboxUrl: z.string().nullable() })))
    ?.paymentSandboxUrl
  const endpoints = {
    stripe: stripeApiUrl,
    paypal: paypalApiUrl ?? paypalAddress[mode === 'live' ? 'LIVE' : 'TEST'],
    sandbox: sandbox ?? null,
  }
  const processors = [
    ...(stripeSecretKey === undefined
      ? []
      : [createStripeProcessor({ name: 'stripe', secretKey: stripeSecretKey, apiUrl: stripeApiUrl })]),
    ...(endpoints.sandbox === null
      ? []
      : [
          createStripeProcessor({ name: 'sandbox', secretKey: 'sk_test_sandbox', apiUrl: endpoints.sandbox }),
        ]),
  ]
  const secretBox = createSecretBox(await encryptionKeys())
  const accounts = openPaymentAccounts({ database: sql, secretBox, endpoints })
  return verifyPayments(sql, {
    ...scope,
    processorOf: findProcessor(processors, accounts),
    since: new Date(Date.now() - days * dayMs),
  })
}

const resultWidth = 16

function linesOf({ rule, disagreements, shown, milliseconds }: Verdict): string {
  const result =
    disagreements === 0
      ? styleText('green', 'ok'.padEnd(resultWidth))
      : styleText('red', `${disagreements} disagree`.padEnd(resultWidth))
  const more = disagreements > shown.length ? [`  … and ${disagreements - shown.length} more`] : []
  return [
    `${rule.padEnd(20)} ${result} ${Math.round(milliseconds)} ms`,
    ...shown.map(
      ({ merchantId, subject, disagreement }) => `  merchant ${merchantId}, ${subject}: ${disagreement}`,
    ),
    ...more,
  ].join('\n')
}

function uuid(text: string): string {
  const parsed = z.guid().safeParse(text)
  if (!parsed.success)
    throw new InvalidArgumentError('must be the id of a merchant, as `npm run merchant -- list` shows it')
  return parsed.data
}
