import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { Settled } from './api/attempts.ts'
import type { Source } from './input/source.ts'

const entry = z.object({
  /** The shop and its deployment: the same file may be imported into several. */
  target: z.string(),
  /** SHA-256 of the file's content. */
  file: z.string(),
  row: z.number().int(),
  event: z.enum(['started', 'created', 'updated', 'skipped', 'refused']),
})

type Entry = z.infer<typeof entry>
export type SettledEvent = Settled['kind']

/**
 * The progress of unfinished imports. Each finished row appends a line, so that a killed process loses nothing. The
 * lines of a finished file are removed, so that the next import of it looks at the shop again.
 */
export class ImportState {
  readonly #path: string
  readonly #target: string
  readonly #events = new Map<string, Entry['event']>()
  #others: readonly Entry[] = []
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, target: string) {
    this.#path = path
    this.#target = target
  }

  static async open(path: string, target: string): Promise<ImportState> {
    await mkdir(dirname(path), { recursive: true })
    const state = new ImportState(path, target)
    const entries = parseEntries(await readFile(path, 'utf8').catch(emptyWhenAbsent))
    state.#others = entries.filter((one) => one.target !== target)
    for (const { file, row, event, target: whose } of entries) {
      if (whose === target) state.#events.set(keyOf(file, row), event)
    }
    return state
  }

  /** Whether an earlier import of one of these files was not finished. */
  resumes(sources: readonly Source[]): boolean {
    return sources.some(({ sha256 }) => [...this.#events.keys()].some((key) => key.startsWith(sha256)))
  }

  settled({ sha256 }: Source, row: number): SettledEvent | undefined {
    const event = this.#events.get(keyOf(sha256, row))
    return event === 'started' ? undefined : event
  }

  wasStarted({ sha256 }: Source, row: number): boolean {
    return this.#events.get(keyOf(sha256, row)) === 'started'
  }

  /** Resolves when the events are in the file. */
  async record(events: readonly { source: Source; row: number; event: Entry['event'] }[]): Promise<void> {
    if (events.length === 0) return
    for (const { source, row, event } of events) this.#events.set(keyOf(source.sha256, row), event)
    const lines = events.map(({ source, row, event }) =>
      JSON.stringify({ target: this.#target, file: source.sha256, row, event } satisfies Entry),
    )
    await this.#write(() => appendFile(this.#path, `${lines.join('\n')}\n`))
  }

  /** Removes the entries of finished files. */
  async forget(sources: readonly Source[]): Promise<void> {
    for (const key of this.#events.keys()) {
      if (sources.some(({ sha256 }) => key.startsWith(sha256))) this.#events.delete(key)
    }
    const own = Array.from(this.#events, ([key, event]): Entry => {
      const [file = '', row] = key.split(' ')
      return { target: this.#target, file, row: Number(row), event }
    })
    const text = [...this.#others, ...own].map((one) => `${JSON.stringify(one)}\n`).join('')
    await this.#write(async () => {
      await writeFile(`${this.#path}.new`, text)
      await rename(`${this.#path}.new`, this.#path)
    })
  }

  // Writes are sequential, so that lines never mix.
  #write(work: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(work)
    this.#writing = written.catch(() => undefined)
    return written
  }
}

const keyOf = (file: string, row: number): string => `${file} ${row}`

// The last line may be incomplete if its process was killed while it wrote. No later step relied on it yet.
const parseEntries = (text: string): Entry[] =>
  text.split('\n').flatMap((line) => {
    try {
      return [entry.parse(JSON.parse(line))]
    } catch {
      return []
    }
  })

function emptyWhenAbsent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return ''
  throw error
}
