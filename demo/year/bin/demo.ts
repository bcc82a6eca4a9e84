import {
  databaseProblem,
  expectedErrors,
  readConfiguration,
  readReadyFile,
  startPlatform,
} from '@commerce-graph/platform'
import {
  createProgress,
  type Json,
  printResult,
  runCommand,
  wholeNumber,
  withJson,
} from '@commerce-graph/terminal'
import { Command, InvalidArgumentError } from 'commander'
import { styleText } from 'node:util'
import { z } from 'zod'
import { type Check, checkShop, DemoError, generateYear, type YearSummary } from '../src/index.ts'

const maxOrders = 200_000
const maxMonths = 24
const maxSeed = 1_000_000
/** The exit code of a process that Ctrl-C has ended. */
const interruptedCode = 130

interface Options extends Json {
  readonly orders: number
  readonly months: number
  readonly seed: number
  readonly merchant?: string
  readonly databaseUrl?: string
  readonly check?: true
}

function merchantId(text: string): string {
  if (!z.guid().safeParse(text).success) throw new InvalidArgumentError('must be the id of a merchant')
  return text.toLowerCase()
}

function postgresUrl(text: string): string {
  if (!z.url({ protocol: /^postgres(ql)?$/ }).safeParse(text).success)
    throw new InvalidArgumentError('must be a URL, like postgres://user@host/name')
  return text
}

const program = withJson(new Command('npm run demo --'))
  .description(
    'Generates the last months of a shop (docs/demo.md): customers, orders, payments, deliveries, refunds, reviews, stock,\n' +
      'loyalty and appointments, by the rules that the shop itself follows. A run that was interrupted goes on where it stopped\n' +
      'when it is started again with the same options. Nothing is sent to anybody.',
  )
  .option('--orders <n>', `how many orders, 1 to ${maxOrders}`, wholeNumber(1, maxOrders), 20_000)
  .option('--months <n>', `how many months up to today, 1 to ${maxMonths}`, wholeNumber(1, maxMonths), 12)
  .option('--seed <n>', 'another number is another shop', wholeNumber(0, maxSeed), 1)
  .option(
    '--merchant <id>',
    'a merchant to do business for; a shop of its own is opened when nothing is said',
    merchantId,
  )
  .option(
    '--database-url <url>',
    'the database; that of the platform that runs here, or else one that is started for it',
    postgresUrl,
  )
  .option('--check', 'afterwards, compare reports, totals, points and stock with the rows they follow from')
  .addHelpText(
    'after',
    '\nEnds with 0 if all is done and agrees, with 1 otherwise, with 130 after Ctrl-C, which waits for the end of a simulated day.',
  )
  .action(generate)

interface Target extends AsyncDisposable {
  readonly databaseUrl: string
}

/** The database from the command line, that of the running platform, or one that is started for this command. */
async function openTarget(named: string | undefined): Promise<Target> {
  const nothing = () => Promise.resolve()
  if (named !== undefined) return { databaseUrl: named, [Symbol.asyncDispose]: nothing }
  const running = await readReadyFile(z.object({ databaseUrl: z.string() }))
  if (running !== undefined) return { ...running, [Symbol.asyncDispose]: nothing }
  const config = readConfiguration(process.env)
  const platform = await startPlatform({ ...config, ports: { kind: 'free' } }, (message) =>
    console.error(message),
  )
  return { databaseUrl: platform.databaseUrl, [Symbol.asyncDispose]: () => platform.stop() }
}

async function generate({
  orders,
  months,
  seed,
  merchant,
  databaseUrl,
  check,
  json,
}: Options): Promise<void> {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())
  await using target = await openTarget(databaseUrl)
  try {
    const summary = await generateYear({
      databaseUrl: target.databaseUrl,
      orders,
      months,
      seed,
      ...(merchant !== undefined && { merchantId: merchant }),
      progress: createProgress({ doing: 'Generating orders' }),
      signal: interrupted.signal,
    })
    const checks =
      check === true && summary.finished ? await checkShop(target.databaseUrl, summary.merchantId) : []
    printResult({ ...summary, checks }, { json }, () =>
      [summaryText(summary), ...checks.map(checkText)].join('\n'),
    )
    if (!summary.finished) process.exitCode = interruptedCode
    else if (checks.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
  } catch (error) {
    throw databaseProblem(error)
  }
}

function summaryText({ key, merchantId, orders, lost, milliseconds, finished }: YearSummary): string {
  const seconds = milliseconds / 1000
  return [
    ...(key === undefined ? [] : [`key: ${key}`]),
    `merchant: ${merchantId}`,
    `${orders} orders, ${lost} more that nothing was in stock for, in ${seconds.toFixed(1)} s (${(orders / seconds).toFixed(0)} a second)`,
    ...(finished ? [] : ['Interrupted after a whole day. Start it again with the same options to go on.']),
  ].join('\n')
}

const checkText = ({ name, compared, wrong }: Check): string =>
  [
    `${wrong.length === 0 ? styleText('green', 'agree') : styleText('red', 'DIFFER')}  ${name} (${compared} compared)`,
    ...wrong.map((difference) => `        ${difference}`),
  ].join('\n')

await runCommand(program, { expected: [...expectedErrors, DemoError] })
