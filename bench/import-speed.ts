import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { type JobState, runJob } from '@commerce-graph/importer'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import { z } from 'zod'
import { processorMicrosecondsOfTree } from './src/processor-time.ts'
import { orderRow, productRow } from './src/import-rows.ts'
import { readOptions } from './src/read-options.ts'

const count = z.coerce.number().int().min(10).max(1_000_000)
const usage = `npm run bench:import -- [--orders 10000] [--products 10000]

Rows per second and memory of an import by \`npm run import\`, by tenths of the rows, on a platform of its own.

It prints processor time as well, which a busy machine changes less. A job checks all rows before it writes the first, so
each tenth has both: how fast its rows were checked, and written.`

const options = readOptions(usage, { orders: count.optional(), products: count.optional() })

interface Sample {
  /** Milliseconds. */
  readonly at: number
  readonly rows: number
  /** Megabytes of the platform's process. */
  readonly memory: number
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

async function writeRows(file: string, rows: number, rowOf: (n: number) => object): Promise<void> {
  const output = createWriteStream(file)
  for (let n = 1; n <= rows; n += 1)
    if (!output.write(`${JSON.stringify(rowOf(n))}\n`)) await once(output, 'drain')
  output.end()
  await finished(output)
}

/** The rows' tenths, each from the first sample with all rows before it to the first with all of its own. */
function printTenths(name: string, samples: readonly Sample[], rows: number): void {
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    const from = samples.find((sample) => sample.rows >= ((tenth - 1) * rows) / 10)
    const to = samples.find((sample) => sample.rows >= (tenth * rows) / 10)
    if (from === undefined || to === undefined || to.at === from.at) continue
    const rate = ((to.rows - from.rows) / (to.at - from.at)) * 1000
    console.log(
      `  ${name} ${String(tenth).padStart(2)}/10  ${rate.toFixed(0).padStart(6)} rows/s   ${to.memory.toFixed(0).padStart(5)} MB`,
    )
  }
}

async function importRows(platform: Ready, file: string, rows: number): Promise<void> {
  const start = performance.now()
  const before = await processorMicrosecondsOfTree(platform.pid)
  const checked: Sample[] = [{ at: start, rows: 0, memory: 0 }]
  const written: Sample[] = []
  const note = async (state: JobState): Promise<void> => {
    const sample = { at: performance.now(), memory: await memoryOf(platform.pid) }
    if (state.written === 0) checked.push({ ...sample, rows: state.checked })
    if (state.written > 0 || state.checked === rows) written.push({ ...sample, rows: state.written })
  }
  const state = await runJob({
    target: { url: platform.graphqlUrl, key: platform.liveKey },
    file,
    format: 'jsonl',
    recordType: null,
    mappingFile: null,
    currency: 'USD',
    dryRun: false,
    update: false,
    reportPath: path.join(path.dirname(file), 'refused.jsonl'),
    stopping: new AbortController().signal,
    onProgress: (progress) => void note(progress),
  })
  const seconds = (performance.now() - start) / 1000
  const processor = ((await processorMicrosecondsOfTree(platform.pid)) - before) / 1e6
  printTenths('checked', checked, rows)
  printTenths('written', written, rows)
  const [rate, memory] = [rows / seconds, process.memoryUsage.rss() / 2 ** 20]
  console.log(
    `  ${state.imported} imported, ${state.refused} refused in ${seconds.toFixed(0)} s: ${rate.toFixed(0)} rows/s`,
  )
  console.log(
    `  ${processor.toFixed(0)} s of processor time (platform and Postgres): ${((processor / rows) * 1000).toFixed(2)} ms a row; this process ${memory.toFixed(0)} MB`,
  )
  if (state.imported !== rows)
    throw new Error(`not all rows were imported: ${state.failure ?? 'see the report'}`)
}

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'bench-import-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
const platformProcess = await PlatformProcess.create()
started.defer(() => platformProcess.remove())
const platform = await platformProcess.start()
const { products, orders = products === undefined ? 10_000 : undefined } = options
for (const [name, rows, rowOf] of [
  ['products', products, productRow],
  ['orders', orders, (n: number) => orderRow(n, orders ?? 1)],
] as const) {
  if (rows === undefined) continue
  const file = path.join(folder, `${name}.jsonl`)
  await writeRows(file, rows, rowOf)
  console.log(`${rows} ${name}`)
  await importRows(platform, file, rows)
}
