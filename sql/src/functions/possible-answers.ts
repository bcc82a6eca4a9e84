import { parse } from 'libpg-query'
import { answersOfBody } from './body-answers.ts'
import { answersOf, type Scope } from './expression-answers.ts'
import { type Possible, unknown } from './possible.ts'
import type { SqlFunction } from './read-functions.ts'

/** The types that are analysed; `record` is for OUT parameters. */
const followed = new Set(['jsonb', 'json', 'record'])

/** Finds what functions can answer from their bodies. */
export class PossibleAnswers {
  readonly #functions: ReadonlyMap<string, SqlFunction>
  readonly #found = new Map<string, Promise<Possible>>()

  constructor(functions: readonly SqlFunction[]) {
    this.#functions = new Map(functions.map((found) => [found.name, found]))
  }

  /** @param column the OUT parameter that is asked for; null for what the function returns */
  of(name: string, column: string | null = null): Promise<Possible> {
    const key = `${name} ${column ?? ''}`
    const found = this.#found.get(key) ?? this.#read(name, column)
    this.#found.set(key, found)
    return found
  }

  async #read(name: string, column: string | null): Promise<Possible> {
    const source = this.#functions.get(name)
    if (source === undefined || !followed.has(source.returns)) return unknown(`${name}()`)
    const scope: Scope = {
      answersOf: (called, of) => this.of(called, of),
      columnsOf: (called) => this.#functions.get(called)?.columns.map((found) => found.name) ?? [],
      variable: () => undefined,
      from: new Map(),
    }
    if (source.language === 'sql') {
      const { stmts = [] } = await parse(source.body)
      return answersOf(stmts.at(-1)?.stmt, scope)
    }
    return answersOfBody(source, scope, column)
  }
}
