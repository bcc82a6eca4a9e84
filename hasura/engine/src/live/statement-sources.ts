import type { StatementReads } from '../sql/statement-reads.ts'
import {
  type FunctionFacts,
  functionFacts,
  oidsOfNames,
  type RelationFacts,
  relationFacts,
} from './catalog-facts.ts'
import { exceptionsOf, type Partition } from './partition.ts'

/** The tables that a statement's answer is made of. */
export interface StatementSources {
  /** By oid: whether row security shows a session with the partition's setting the rows of its partition alone. */
  readonly tables: ReadonlyMap<number, boolean>
  /** Why the answer may change though no row of these tables does; undefined: it can't. */
  readonly otherwise: string | undefined
}

export type RunQuery = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>

/** What one search has come upon. */
interface Walk {
  readonly tables: Map<number, boolean>
  readonly reasons: string[]
  readonly known: Known
}

interface Reached {
  readonly kind: 'relation' | 'function'
  readonly oid: string
  /** Whether it is read with the rights of the session, which row security knows. */
  readonly asInvoker: boolean
}

/** What the database has said of one schema. */
interface Known {
  readonly found: Map<string, Promise<StatementSources>>
  readonly relations: Map<string, RelationFacts>
  readonly functions: Map<string, FunctionFacts>
  readonly settings: Map<string, Promise<boolean>>
}

const nothing = (): Known => ({
  found: new Map(),
  relations: new Map(),
  functions: new Map(),
  settings: new Map(),
})

/** Finds the tables behind views, functions and policies, and remembers what it has found. */
export class SourceFinder {
  readonly #query: RunQuery
  readonly #partition: Partition | undefined
  /** A search keeps what it began with: its questions may have been answered before the schema changed. */
  #known = nothing()

  constructor(query: RunQuery, partition: Partition | undefined) {
    this.#query = query
    this.#partition = partition
  }

  /** From now on, the database is asked again. */
  forget(): void {
    this.#known = nothing()
  }

  /** Rejects when the database doesn't answer. */
  find(reads: StatementReads): Promise<StatementSources> {
    const key = JSON.stringify(reads)
    const known = this.#known
    const before = known.found.get(key)
    if (before !== undefined) return before
    const finding = this.#walk(reads, known)
    known.found.set(key, finding)
    finding.catch(() => known.found.delete(key))
    return finding
  }

  async #walk(reads: StatementReads, known: Known): Promise<StatementSources> {
    const tables = new Map<number, boolean>()
    const reasons: string[] = reads.isOpaque ? ['it has a native query'] : []
    const seen = new Set<string>()
    const named = await this.#named(reads)
    if (named.filter(({ kind }) => kind === 'relation').length < reads.relations.length)
      reasons.push('a table is gone')
    for (let level = named; level.length > 0;) {
      const fresh = level.filter((each) => !seen.has(JSON.stringify(each)))
      for (const each of fresh) seen.add(JSON.stringify(each))
      await this.#load(fresh, known)
      const next: Reached[] = []
      for (const each of fresh) {
        const facts = (each.kind === 'relation' ? known.relations : known.functions).get(each.oid)
        if (facts === undefined) {
          reasons.push(`${each.kind} ${each.oid} is gone`)
          continue
        }
        if (facts.readsClock) reasons.push(`${each.kind} ${each.oid} reads the clock, or changes by itself`)
        const passesOn = await this.#enter(facts, each, { tables, reasons, known })
        const asInvoker = each.asInvoker && passesOn
        for (const oid of facts.relations) next.push({ kind: 'relation', oid, asInvoker })
        for (const oid of facts.functions) next.push({ kind: 'function', oid, asInvoker })
      }
      level = next
    }
    return { tables, otherwise: reasons[0] }
  }

  /** Notes a table. Returns whether what is read through it is read with the session's rights. */
  async #enter(
    facts: RelationFacts | FunctionFacts,
    { asInvoker }: Reached,
    { tables, reasons, known }: Walk,
  ): Promise<boolean> {
    if ('isVolatile' in facts) {
      if (facts.isVolatile) reasons.push(`function ${facts.oid} is volatile`)
      if (facts.isOpaque) reasons.push(`what function ${facts.oid} reads isn't known`)
      return !facts.isDefiner
    }
    if (facts.isView) return facts.isInvoker
    if (facts.isType) return true
    const table = Number(facts.oid)
    const isOwn = asInvoker && (await this.#showsOwnRows(facts, known))
    tables.set(table, isOwn && (tables.get(table) ?? true))
    return true
  }

  async #showsOwnRows({ policies, isPartitioned }: RelationFacts, known: Known): Promise<boolean> {
    const partition = this.#partition
    if (partition === undefined || !isPartitioned || policies === null || policies.length === 0) return false
    const exceptions = policies.map((policy) => exceptionsOf(policy, partition))
    for (const names of exceptions) {
      if (names === undefined) return false
      for (const name of names) if (await this.#isSet(name, known)) return false
    }
    return true
  }

  /** Whether the user has the setting before any session makes it. */
  #isSet(name: string, { settings }: Known): Promise<boolean> {
    const before = settings.get(name)
    if (before !== undefined) return before
    const asked = this.#query(`SELECT coalesce(current_setting($1, true), '') <> '' AS "isSet"`, [name]).then(
      (rows) => (rows as readonly { readonly isSet: boolean }[])[0]?.isSet !== false,
    )
    settings.set(name, asked)
    asked.catch(() => settings.delete(name))
    return asked
  }

  async #named({ relations, functions }: StatementReads): Promise<readonly Reached[]> {
    const rows = await this.#query(oidsOfNames, [
      relations.map(({ schema }) => schema),
      relations.map(({ name }) => name),
      functions.map(({ schema }) => schema),
      functions.map(({ name }) => name),
    ])
    return (rows as readonly Pick<Reached, 'kind' | 'oid'>[]).map((row) => ({ ...row, asInvoker: true }))
  }

  async #load(reached: readonly Reached[], known: Known): Promise<void> {
    const unknown = (kind: Reached['kind'], facts: ReadonlyMap<string, unknown>): readonly string[] => [
      ...new Set(reached.flatMap((each) => (each.kind === kind && !facts.has(each.oid) ? [each.oid] : []))),
    ]
    const relations = unknown('relation', known.relations)
    if (relations.length > 0) {
      const rows = await this.#query(relationFacts, [relations, this.#partition?.column ?? ''])
      for (const facts of rows as readonly RelationFacts[]) known.relations.set(facts.oid, facts)
    }
    const functions = unknown('function', known.functions)
    if (functions.length > 0) {
      const rows = await this.#query(functionFacts, [functions])
      for (const facts of rows as readonly FunctionFacts[]) known.functions.set(facts.oid, facts)
    }
  }
}

const timeWord = /\b(now|today|tomorrow|yesterday)\b/i

/** Longer texts are no times. */
const longestTime = 64

/** Whether Postgres may read a value as a time that depends on when it is read. */
export const dependsOnTime = (value: string | null): boolean =>
  value !== null && value.length <= longestTime && timeWord.test(value)
