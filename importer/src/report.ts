import { appendFile, mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { RefusedRow } from './input/row.ts'

/** Refused rows as JSON Lines, one line per problem. The file exists only if there is one. */
export class Report {
  readonly path: string
  #writing: Promise<void>

  /** @param append continues the report of an interrupted import; otherwise an old one is removed */
  constructor(path: string, append: boolean) {
    this.path = path
    this.#writing = append ? Promise.resolve() : rm(path, { force: true })
  }

  add({ location, kind, key, problems }: RefusedRow): Promise<void> {
    const { file, line } = location
    const lines = problems.map(({ field, message, code }) =>
      JSON.stringify({ file, line, type: kind, key, field, message, code }),
    )
    this.#writing = this.#writing.then(async () => {
      await mkdir(dirname(this.path), { recursive: true })
      await appendFile(this.path, `${lines.join('\n')}\n`)
    })
    return this.#writing
  }
}
