import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PlatformError, readConfiguration, startPlatform } from '@commerce-graph/platform'
import { Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { checkShop, createProgress, DemoError, generateYear } from '../src/index.ts'

const maxOrders = 200_000
const maxMonths = 24

const whole = (min: number, max: number) => (text: string) => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < min || number > max)
    throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}`)
  return number
}

function merchantId(text: string): string {
  if (!z.guid().safeParse(text).success) throw new InvalidArgumentError('must be the id of a merchant')
  return text.toLowerCase()
}

const options = z.object({
  orders: z.number(),
  months: z.number(),
  seed: z.number(),
  merchant: z.string().optional(),
  databaseUrl: z.string().optional(),
  check: z.boolean().default(false),
})

const program = new Command('npm run demo --')
  .description(
    'Generates the last months of a shop (docs/demo.md): customers, orders, payments, deliveries, refunds, reviews, stock,\n' +
      'loyalty and appointments, by the rules that the shop itself follows. A run that was interrupted goes on where it stopped\n' +
      'when it is started again with the same options. Nothing is sent to anybody.',
  )
  .option('--orders <n>', `how many orders, 1 to ${maxOrders}`, whole(1, maxOrders), 20_000)
  .option('--months <n>', `how many months up to today, 1 to ${maxMonths}`, whole(1, maxMonths), 12)
  .option('--seed <n>', 'another number is another shop', whole(0, 1_000_000), 1)
  .option(
    '--merchant <id>',
    'a merchant to do business for; a shop of its own is opened when nothing is said',
    merchantId,
  )
  .option(
    '--database-url <url>',
    'the database; that of the platform that runs here, or else one that is started for it',
  )
  .option('--check', 'afterwards, compare reports, totals, points and stock with the rows they follow from')
  .showHelpAfterError()

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())

interface Target extends AsyncDisposable {
  readonly databaseUrl: string
}

/** The database from the command line, that of the running platform, or one that is started for this command. */
async function openTarget(named: string | undefined): Promise<Target> {
  const nothing = () => Promise.resolve()
  if (named !== undefined) return { databaseUrl: named, [Symbol.asyncDispose]: nothing }
  const config = readConfiguration(process.env)
  const running = await readFile(join(resolve(config.dataDir), 'ready.json'), 'utf8').catch(() => undefined)
  if (running !== undefined) {
    const { databaseUrl } = z.object({ databaseUrl: z.string() }).parse(JSON.parse(running))
    return { databaseUrl, [Symbol.asyncDispose]: nothing }
  }
  const platform = await startPlatform({ ...config, ports: { kind: 'free' } }, (message) =>
    console.error(message),
  )
  return { databaseUrl: platform.databaseUrl, [Symbol.asyncDispose]: () => platform.stop() }
}

async function main(): Promise<number> {
  const { orders, months, seed, merchant, databaseUrl: named, check } = options.parse(program.parse().opts())
  await using target = await openTarget(named)
  const { databaseUrl } = target
  const summary = await generateYear({
    databaseUrl,
    orders,
    months,
    seed,
    ...(merchant !== undefined && { merchantId: merchant }),
    progress: createProgress(process.stderr),
    signal: interrupted.signal,
  })
  const seconds = summary.milliseconds / 1000
  if (summary.key !== undefined) console.log(`key: ${summary.key}`)
  console.log(`merchant: ${summary.merchantId}`)
  console.log(
    `${summary.orders} orders, ${summary.lost} more that nothing was in stock for, in ${seconds.toFixed(1)} s (${(summary.orders / seconds).toFixed(0)} a second)`,
  )
  if (!summary.finished) {
    console.log('Interrupted after a whole day. Start it again with the same options to go on.')
    return 130
  }
  return check ? tell(await checkShop(databaseUrl, summary.merchantId)) : 0
}

function tell(checks: Awaited<ReturnType<typeof checkShop>>): number {
  for (const { name, compared, wrong } of checks) {
    console.log(`${wrong.length === 0 ? 'agree' : 'DIFFER'}  ${name} (${compared} compared)`)
    for (const difference of wrong) console.log(`        ${difference}`)
  }
  return checks.every(({ wrong }) => wrong.length === 0) ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof DemoError || error instanceof PlatformError)) throw error
  console.error(`\n${error.message}`)
  process.exitCode = 1
}
