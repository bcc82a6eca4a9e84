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
    const isOwn = options.format === 'jsonl' || options.format === 'csv'
    const file = isOwn ? options.file : await converted(join(folder, 'rows.jsonl'), options)
    const job = new ImportJob({
      ...options,
      file,
      format: options.format === 'csv' ? 'CSV' : 'JSON_LINES',
      fileName: basename(options.file).slice(0, 255),
    })
    const state = await job.run()
    await report(job, state.id, options)
    return state
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Another system's file as JSON Lines. */
async function converted(
  path: string,
  { file, format, mappingFile, currency }: RunJobOptions,
): Promise<string> {
  if (format === 'jsonl' || format === 'csv') return file
  const output = createWriteStream(path)
  for await (const row of await rowsOf(file, { format, mappingFile, currency }))
    if (!output.write(`${JSON.stringify(row)}\n`)) await once(output, 'drain')
  output.end()
  await finished(output)
  return path
}

async function report(job: ImportJob, id: string, { file, reportPath }: RunJobOptions): Promise<void> {
  let lines: string[] = []
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return
    await mkdir(dirname(reportPath), { recursive: true })
    await appendFile(reportPath, `${lines.join('\n')}\n`)
    lines = []
  }
  for await (const { line, recordType: type, key, field, code, message } of job.errors(id)) {
    lines.push(JSON.stringify({ file, line, type, key, field, message, code }))
    if (lines.length >= 1000) await flush()
  }
  await flush()
}
