import { createLiveLine, type Json, printResult, wholeNumber, withJson } from '@commerce-graph/terminal'
import { Command, InvalidArgumentError, Option } from 'commander'
import { readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { type Format, formats } from './formats/formats.ts'
import { jobProgressText, jobText, summaryText } from './import-outcome.ts'
import { ImportStopped, Unavailable } from './api/api-error.ts'
import { InputError } from './input/input-error.ts'
import type { JobState } from './jobs/import-job.ts'
import { runJob } from './jobs/run-job.ts'
import { createJsonProgress, createProgress } from './progress.ts'
import { runImport } from './run-import.ts'

const repository = join(import.meta.dirname, '../..')
// `npm run` changes to the repository's folder, but paths on the command line are relative to the caller's folder.
const calledFrom = process.env.INIT_CWD ?? process.cwd()
const dataDir = resolve(repository, process.env.DATA_DIR ?? '.data')
const mostConcurrent = 16
/** The exit code of a process that Ctrl-C has ended. */
const interrupted = 130

interface Options extends Json {
  readonly url?: string
  readonly key?: string
  readonly format?: Format
  readonly type?: keyof typeof recordTypes
  readonly mapping?: string
  readonly currency?: string
  readonly dryRun?: true
  readonly onExisting: 'skip' | 'update'
  readonly state: string
  readonly report: string
  readonly concurrency: number
}

/** Errors that the caller can mend; their messages say how. */
export const expectedErrors = [ImportStopped, InputError, Unavailable] as const

/** `npm run import`: sets the process's exit code. */
export const program = (): Command =>
  withJson(
    new Command('npm run import --'),
    'print JSON Lines: {"progress": …} now and then, {"result": …} in the end, or {"error": …}; with --format, for each file',
  )
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
    .option('--concurrency <n>', 'batches under way at once, 1 to 16', wholeNumber(1, mostConcurrent), 4)
    .addHelpText(
      'after',
      '\nEnds with 0 if every row was imported or is there, with 1 if rows were refused or the import stopped, with 130 after Ctrl-C.',
    )
    .action(importFiles)

function endpoint(text: string): string {
  if (!z.url({ protocol: /^https?$/ }).safeParse(text).success)
    throw new InvalidArgumentError('must be the URL of /graphql, with http:// or https://')
  return text
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

async function importFiles(named: readonly string[], options: Options): Promise<void> {
  const files = named.map((file) => resolve(calledFrom, file))
  await requireFiles(files)
  const stopping = new AbortController()
  // npm repeats a terminal's Ctrl-C; the second signal is ignored.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
  const { format } = options
  const succeeded =
    format === undefined
      ? await sendRows(files, options, stopping.signal)
      : await runJobs(named, { ...options, format }, stopping.signal)
  if (stopping.signal.aborted) process.exitCode = interrupted
  else if (!succeeded) process.exitCode = 1
}

/** What was given; the rest is of the platform that runs here. */
const connection = async ({ url, key }: Pick<Options, 'url' | 'key'>) =>
  url !== undefined && key !== undefined
    ? { url, key }
    : { ...(await runningPlatform()), ...(url !== undefined && { url }), ...(key !== undefined && { key }) }

/** Returns whether every row was imported or skipped. */
async function sendRows(files: readonly string[], options: Options, stopping: AbortSignal): Promise<boolean> {
  const { dryRun = false, json, report, state, onExisting, concurrency } = options
  const reportPath = resolve(calledFrom, report)
  const summary = await runImport({
    files,
    target: dryRun ? undefined : await connection(options),
    onExisting,
    statePath: resolve(calledFrom, state),
    reportPath,
    concurrency,
    progress: json === true ? createJsonProgress() : createProgress(),
    stopping,
  })
  printResult({ result: { ...summary, dryRun, reportPath } }, { json }, () =>
    summaryText(summary, { dryRun, reportPath }),
  )
  return summary.counts.refused === 0 && summary.stopped === undefined
}

/** Imports the files one after the other, each by a job. Returns whether every row was imported. */
async function runJobs(
  files: readonly string[],
  options: Options & { readonly format: Format },
  stopping: AbortSignal,
): Promise<boolean> {
  const { format, type, mapping, currency = 'USD', dryRun = false, onExisting, json } = options
  const target = await connection(options)
  const reportPath = resolve(calledFrom, options.report)
  await rm(reportPath, { force: true })
  let succeeded = true
  for (const file of files) {
    const progress = jobProgress(file, options)
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
      onProgress: progress.show,
    }).finally(progress.end)
    printResult({ result: { file, ...state, dryRun, reportPath } }, { json }, () =>
      jobText(file, state, { dryRun, reportPath }),
    )
    if (state.refused > 0 || state.status !== 'SUCCEEDED') succeeded = false
    if (stopping.aborted) break
  }
  return succeeded
}

/** Shows each new state once. */
function jobProgress(
  file: string,
  { json }: Json,
): { readonly show: (state: JobState) => void; readonly end: () => void } {
  const line = createLiveLine()
  let shown = ''
  return {
    show(state) {
      const text = jobProgressText(file, state)
      if (json !== true) line.show(text)
      else if (text !== shown) console.log(JSON.stringify({ progress: { file, ...state } }))
      shown = text
    },
    end: line.end,
  }
}

const recordTypes = {
  product: 'PRODUCT',
  customer: 'CUSTOMER',
  category: 'CATEGORY',
  promotion: 'PROMOTION',
  review: 'REVIEW',
  order: 'ORDER',
} as const
