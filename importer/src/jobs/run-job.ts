import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Format, rowsOf } from '../formats/formats.ts'
import { ImportJob, type JobOptions, type JobState } from './import-job.ts'

export interface RunJobOptions extends Pick<
  JobOptions,
  'target' | 'dryRun' | 'update' | 'stopping' | 'onProgress'
> {
  readonly file: string
  readonly format: Format
  readonly recordType: JobOptions['recordType']
  readonly mappingFile: string | null
  readonly currency: string
  /** The file that lists refused rows. */
  readonly reportPath: string
}

/** Imports one file by a job of the platform, and writes its refused rows into the report. */
export async function runJob(options: RunJobOptions): Promise<JobState> {
  const folder = await mkdtemp(join(tmpdir(), 'import-'))
  try {
    const { file, lines } = await rowsFile(join(folder, 'rows.jsonl'), options)
    const job = new ImportJob({
      ...options,
      file,
      format: options.format === 'csv' ? 'CSV' : 'JSON_LINES',
      fileName: basename(options.file).slice(0, 255),
    })
    const state = await job.run()
    await report(job, state.id, { ...options, lines })
    return state
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface RowsFile {
  readonly file: string
  /** The line of the given file for each line of this one; null if they are the same. */
  readonly lines: readonly number[] | null
}

/** The file as it is, or another system's as JSON Lines at the path. */
async function rowsFile(
  path: string,
  { file, format, mappingFile, currency }: RunJobOptions,
): Promise<RowsFile> {
  if (format === 'jsonl' || format === 'csv') return { file, lines: null }
  const lines: number[] = []
  const output = createWriteStream(path)
  for await (const { line, row } of await rowsOf(file, { format, mappingFile, currency })) {
    lines.push(line)
    if (!output.write(`${JSON.stringify(row)}\n`)) await once(output, 'drain')
  }
  output.end()
  await finished(output)
  return { file: path, lines }
}

async function report(
  job: ImportJob,
  id: string,
  { file, reportPath, lines }: RunJobOptions & Pick<RowsFile, 'lines'>,
): Promise<void> {
  let open: string[] = []
  const flush = async (): Promise<void> => {
    if (open.length === 0) return
    await mkdir(dirname(reportPath), { recursive: true })
    await appendFile(reportPath, `${open.join('\n')}\n`)
    open = []
  }
  for await (const { line, recordType: type, key, field, code, message } of job.errors(id)) {
    open.push(JSON.stringify({ file, line: lines?.[line - 1] ?? line, type, key, field, message, code }))
    if (open.length >= 1000) await flush()
  }
  await flush()
}
