import { ImportStopped } from './api/api-error.ts'
import type { Settled } from './api/attempts.ts'
import { naturalKey, parseRow, shownKey, type ParsedRow, type RefusedRow, type Row } from './input/row.ts'
import { openSource, type Source } from './input/source.ts'
import type { Counts, Progress } from './progress.ts'
import { Report } from './report.ts'
import { Session, type SessionOptions, type SourcedRow } from './session.ts'

export type ImportOptions = SessionOptions & {
  readonly files: readonly string[]
  /** Absent for a dry run: rows are checked and nothing is sent. */
  readonly target: { readonly url: string; readonly key: string } | undefined
  readonly reportPath: string
  /** The number of concurrent batches. */
  readonly concurrency: number
  readonly progress: Progress
}

export interface ImportSummary {
  readonly rows: number
  readonly counts: Counts
  /** Why the import ended before its last row; it can be resumed. */
  readonly stopped: string | undefined
}

const batchSize = 20

/**
 * Imports files of products and customers through the public API.
 *
 * @throws InputError if a file can't be read; then nothing was imported
 */
export async function runImport(options: ImportOptions): Promise<ImportSummary> {
  const sources: Source[] = []
  for (const file of options.files) sources.push(await openSource(file))
  return new Import(options, sources).run()
}

class Import {
  readonly #options: ImportOptions
  readonly #sources: readonly Source[]
  readonly #counts = { created: 0, updated: 0, skipped: 0, refused: 0 }
  readonly #firstSeen = new Map<string, RefusedRow['location']>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #batches: { [Kind in Row['kind']]: SourcedRow[] } = { product: [], customer: [] }
  #failure: Error | undefined

  constructor(options: ImportOptions, sources: readonly Source[]) {
    this.#options = options
    this.#sources = sources
  }

  async run(): Promise<ImportSummary> {
    const { progress, target, reportPath, stopping } = this.#options
    const rows = this.#sources.reduce((sum, { rowCount }) => sum + rowCount, 0)
    const session = target === undefined ? undefined : await Session.open(this.#options, target)
    const report = new Report(reportPath, session?.state.resumes(this.#sources) ?? false)
    progress.start(rows)
    try {
      await this.#readRows(session, report)
      await Promise.all(this.#underWay)
    } finally {
      progress.stop()
    }
    if (this.#failure !== undefined && !(this.#failure instanceof ImportStopped)) throw this.#failure
    const stopped = stopping.aborted ? 'interrupted' : this.#failure?.message
    if (stopped === undefined) await session?.state.forget(this.#sources)
    return { rows, counts: this.#counts, stopped }
  }

  get #stopped(): boolean {
    return this.#options.stopping.aborted || this.#failure !== undefined
  }

  async #readRows(session: Session | undefined, report: Report): Promise<void> {
    for (const source of this.#sources) {
      for await (const raw of source.read()) {
        if (this.#stopped) return
        const parsed = this.#refuseRepeated(parseRow(raw))
        const known = session?.state.settled(source, raw.location.index)
        if (known !== undefined) this.#count(known)
        else if (parsed.kind === 'refused') await this.#refuse(session, report, source, parsed.refused)
        else if (session === undefined) this.#count('skipped')
        else await this.#enqueue(session, report, { source, row: parsed.row })
      }
    }
    if (session === undefined) return
    for (const batch of Object.values(this.#batches)) await this.#submit(session, report, batch.splice(0))
  }

  // Two rows with the same SKU would conflict, in one batch or in two, so only the first one counts.
  #refuseRepeated(parsed: ParsedRow): ParsedRow {
    if (parsed.kind === 'refused') return parsed
    const { row } = parsed
    const first = this.#firstSeen.get(naturalKey(row))
    if (first === undefined) {
      this.#firstSeen.set(naturalKey(row), row.location)
      return parsed
    }
    const field = row.kind === 'product' ? 'sku' : 'email'
    const message = `${shownKey(row)} stands already in ${first.file}:${first.line}`
    const problems = [{ field, message, code: 'ALREADY_EXISTS' }]
    return {
      kind: 'refused',
      refused: { location: row.location, kind: row.kind, key: shownKey(row), problems },
    }
  }

  async #refuse(
    session: Session | undefined,
    report: Report,
    source: Source,
    refused: RefusedRow,
  ): Promise<void> {
    await report.add(refused)
    await session?.state.record([{ source, row: refused.location.index, event: 'refused' }])
    this.#count('refused')
  }

  async #enqueue(session: Session, report: Report, sourced: SourcedRow): Promise<void> {
    const batch = this.#batches[sourced.row.kind]
    batch.push(sourced)
    if (batch.length === batchSize) await this.#submit(session, report, batch.splice(0))
  }

  async #submit(session: Session, report: Report, batch: readonly SourcedRow[]): Promise<void> {
    while (this.#underWay.size >= this.#options.concurrency) await Promise.race(this.#underWay)
    if (this.#stopped || batch.length === 0) return
    const work: Promise<void> = this.#import(session, report, batch)
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(String(error))
      })
      .finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
  }

  async #import(session: Session, report: Report, batch: readonly SourcedRow[]): Promise<void> {
    const settled = await session.settle(batch)
    for (const { source, row } of batch) {
      const outcome = settled.get(row)
      if (outcome === undefined) continue
      if (outcome.kind === 'refused') {
        const { kind, location } = row
        await this.#refuse(session, report, source, {
          kind,
          location,
          key: shownKey(row),
          problems: outcome.problems,
        })
      } else {
        await session.state.record([{ source, row: row.location.index, event: outcome.kind }])
        this.#count(outcome.kind)
      }
    }
  }

  #count(kind: Settled['kind']): void {
    this.#counts[kind] += 1
    const { created, updated, skipped, refused } = this.#counts
    this.#options.progress.update(created + updated + skipped + refused, this.#counts)
  }
}
