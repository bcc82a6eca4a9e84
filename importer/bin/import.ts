#!/usr/bin/env node
import { readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import {
  createProgress,
  type Format,
  formats,
  ImportStopped,
  InputError,
  type JobState,
  runImport,
  runJob,
  type ImportSummary,
} from '../src/index.ts'

const repository = join(import.meta.dirname, '../..')
// `npm run` changes to the repository's folder, but paths on the command line are relative to the caller's folder.
const calledFrom = process.env.INIT_CWD ?? process.cwd()
const dataDir = resolve(repository, process.env.DATA_DIR ?? '.data')

const options = z.object({
  url: z.url().optional(),
  key: z.string().optional(),
  format: z.enum(formats).optional(),
  type: z.enum(['product', 'customer', 'category', 'promotion', 'review', 'order']).optional(),
  mapping: z.string().optional(),
  currency: z.string().default('USD'),
  dryRun: z.boolean().default(false),
  onExisting: z.enum(['skip', 'update']),
  state: z.string(),
  report: z.string(),
  concurrency: z.number(),
  json: z.boolean().default(false),
})

const program = new Command('npm run import --')
  .description(
    'Imports products, customers, orders with their history and more (docs/import.md), through the public API.\n' +
      'With --format, files are imported by jobs of the platform, which go on whatever happens here.\n' +
      'Without it, rows of products and customers are sent by this command itself.',
  )
  .argument('<file...>', 'files named .jsonl, .ndjson or .csv')
  .option(
    '--url <url>',
    'the endpoint, …/graphql; that of the running platform when nothing is said',
    endpoint,
  )
  .addOption(
    new Option('--key <key>', 'the API key; the running platform’s live key').env('COMMERCE_GRAPH_API_KEY'),
  )
  .addOption(new Option('--format <format>', 'the format of the files').choices(formats))
  .addOption(
    new Option(
      '--type <type>',
      'with --format csv or jsonl: the type of rows that do not say theirs',
    ).choices(['product', 'customer', 'category', 'promotion', 'review', 'order']),
  )
  .option(
    '--mapping <file>',
    'with the format of another system: a copy of importer/mappings/<format>.json that was changed',
  )
  .option('--currency <code>', 'with --format …-products: the currency of the prices; USD')
  .option('--dry-run', 'check every row and send nothing')
  .addOption(
    new Option('--on-existing <what>', 'what to do with a SKU or e-mail address that is there already')
      .choices(['skip', 'update'])
      .default('skip'),
  )
  .option('--state <file>', 'where to remember how far an import came', join(dataDir, 'import/state.jsonl'))
  .option('--report <file>', 'where to list refused rows', join(dataDir, 'import/refused.jsonl'))
  .option('--concurrency <n>', 'batches under way at once, 1 to 16', concurrency, 4)
  .option('--json', 'print what became of it as JSON: a line for each file with --format, and one without')
  .showHelpAfterError()

function endpoint(text: string): string {
  if (!z.url({ protocol: /^https?$/ }).safeParse(text).success)
    throw new InvalidArgumentError('must be the URL of /graphql, with http:// or https://')
  return text
}

function concurrency(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > 16) {
    throw new InvalidArgumentError('must be a whole number from 1 to 16')
  }
  return number
}

/** What the running platform (`npm start`) has written about itself. */
const readySchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue('is no JSON')
      return z.NEVER
    }
  })
  .pipe(z.object({ graphqlUrl: z.string(), liveKey: z.string() }))

/** Throws an InputError for what can't be read: a job would only find out after its upload began. */
async function requireFiles(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const found = await stat(file).catch(() => null)
    if (found === null) throw new InputError(`${file}: there is no such file`)
    if (!found.isFile()) throw new InputError(`${file}: this is not a file`)
  }
}

/** The running platform (`npm start`) writes its address here. */
async function runningPlatform(): Promise<{ url: string; key: string }> {
  const path = join(dataDir, 'ready.json')
  const text = await readFile(path, 'utf8').catch(() => {
    throw new InputError(
      `no platform is running here (${path} is absent): run npm start, or give --url and --key`,
    )
  })
  const ready = readySchema.safeParse(text)
  if (!ready.success)
    throw new InputError(`${path} is broken: start the platform again, or give --url and --key`)
  return { url: ready.data.graphqlUrl, key: ready.data.liveKey }
}

async function main(): Promise<number> {
  program.parse()
  const given = options.parse(program.opts())
  const { url, key, dryRun, onExisting, state, report, concurrency: batches } = given
  await requireFiles(program.args.map((file) => resolve(calledFrom, file)))
  const stopping = new AbortController()
  // npm repeats a terminal's Ctrl-C; the second signal is ignored.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())

  const connection = async () =>
    url !== undefined && key !== undefined
      ? { url, key }
      : { ...(await runningPlatform()), ...(url && { url }), ...(key && { key }) }
  if (given.format !== undefined)
    return runJobs({ ...given, format: given.format }, await connection(), stopping.signal)
  const target = dryRun ? undefined : await connection()
  const reportPath = resolve(calledFrom, report)
  const summary = await runImport({
    files: program.args.map((file) => resolve(calledFrom, file)),
    target,
    onExisting,
    statePath: resolve(calledFrom, state),
    reportPath,
    concurrency: batches,
    progress: createProgress(process.stderr),
    stopping: stopping.signal,
  })
  console.log(
    given.json
      ? JSON.stringify({ ...summary, dryRun, reportPath })
      : summaryText(summary, dryRun, reportPath),
  )
  if (stopping.signal.aborted) return 130
  return summary.counts.refused > 0 || summary.stopped !== undefined ? 1 : 0
}

type Given = z.infer<typeof options> & { readonly format: Format }

/** Imports the files one after the other, each by a job. */
async function runJobs(
  { format, type, mapping, currency, dryRun, onExisting, report, json }: Given,
  target: { readonly url: string; readonly key: string },
  stopping: AbortSignal,
): Promise<number> {
  const reportPath = resolve(calledFrom, report)
  await rm(reportPath, { force: true })
  let code = 0
  for (const file of program.args) {
    let shown = ''
    const state = await runJob({
      target,
      file: resolve(calledFrom, file),
      format,
      recordType: type === undefined ? null : recordTypes[type],
      mappingFile: mapping === undefined ? null : resolve(calledFrom, mapping),
      currency,
      dryRun,
      update: onExisting === 'update',
      reportPath,
      stopping,
      onProgress(now) {
        const text = progressText(file, now)
        if (text !== shown) process.stderr.write(`${text}\n`)
        shown = text
      },
    })
    if (json) console.log(JSON.stringify({ file, ...state, dryRun, reportPath }))
    else {
      console.log(jobText(file, state, dryRun))
      if (state.refused > 0) console.log(`Refused rows and their reasons: ${reportPath}`)
    }
    if (stopping.aborted) return 130
    if (state.refused > 0 || state.status !== 'SUCCEEDED') code = 1
  }
  return code
}

const recordTypes = {
  product: 'PRODUCT',
  customer: 'CUSTOMER',
  category: 'CATEGORY',
  promotion: 'PROMOTION',
  review: 'REVIEW',
  order: 'ORDER',
} as const

const progressText = (file: string, { status, rows, checked, written, refused }: JobState): string =>
  `${file}: ${status.toLowerCase()}, ${checked} checked, ${written}${rows == null ? '' : ` of ${rows}`} written, ${refused} refused`

const jobText = (file: string, state: JobState, dryRun: boolean): string =>
  `${file}: ${state.rows ?? state.checked} rows, ${state.imported} ${dryRun ? 'would be ' : ''}imported, ${state.unchanged} unchanged, ` +
  `${state.refused} ${dryRun ? 'would be ' : ''}refused${state.failure == null ? '' : `: ${state.failure}`}`

function summaryText({ rows, counts, stopped }: ImportSummary, dryRun: boolean, reportPath: string): string {
  const { created, updated, skipped, refused } = counts
  const done = dryRun
    ? `${rows} rows checked, ${refused} would be refused`
    : `${rows} rows: ${created} created, ${updated} updated, ${skipped} skipped, ${refused} refused`
  return [
    done,
    ...(refused > 0 ? [`Refused rows and their reasons: ${reportPath}`] : []),
    ...(stopped === undefined ? [] : [`Not finished: ${stopped}. The same command goes on from here.`]),
  ].join('\n')
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof InputError) && !(error instanceof ImportStopped)) throw error
  console.error(error.message)
  process.exitCode = 1
}
