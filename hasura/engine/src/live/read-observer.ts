import type { Validity } from '@commerce-graph/answer-cache'
import type { Kept, ReadRows } from '@commerce-graph/change-feed'
import type { GraphQLResult } from '../graphql-request.ts'
import { type SessionSettings, settingsOfSession } from '../session/session-settings.ts'
import type { Session } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import type { StatementReads } from '../sql/statement-reads.ts'
import type { Changes } from './open-changes.ts'
import { partitionOf } from './partition.ts'

export interface ReadObserverOptions {
  readonly changes: Pick<Changes, 'coherence' | 'follower' | 'partition'>
  readonly sessionSettings: SessionSettings
  readonly getSnapshot: () => Snapshot
}

/** Observes reads, to say later whether their answers are still right. */
export class ReadObserver {
  readonly #options: ReadObserverOptions

  constructor(options: ReadObserverOptions) {
    this.#options = options
  }

  /**
   * Runs a read whose answer has its validity, if no row of what it reads changes meanwhile. Undefined, and nothing is run:
   * changes aren't told now, or the answer may change though no row does.
   *
   * @param statements what each statement of the read names
   */
  async observe(
    statements: readonly StatementReads[],
    session: Session,
    read: () => Promise<GraphQLResult>,
  ): Promise<GraphQLResult | undefined> {
    const { changes, getSnapshot } = this.#options
    const snapshot = getSnapshot()
    const rows = await this.#rowsOf(statements, session)
    // What was told before this moment is part of the read, and what is told later makes it outdated.
    const ticket = rows && changes.coherence.begin()
    if (rows === undefined || ticket === undefined) return undefined
    const result = await read()
    if (result.kind !== 'data') return result
    const kept = changes.coherence.keep(ticket, rows)
    return kept === undefined ? result : { ...result, validity: this.#validityOf(kept, snapshot) }
  }

  async #rowsOf(statements: readonly StatementReads[], session: Session): Promise<ReadRows | undefined> {
    const { changes, sessionSettings } = this.#options
    const { follower, partition } = changes
    const own = partitionOf(settingsOfSession(session, sessionSettings), partition)
    const rows = new Map<number, string | undefined>()
    for (const statement of statements) {
      // A database that doesn't answer is the read's to report.
      const sources = await follower.sourcesOf(statement).catch(() => undefined)
      if (sources === undefined || sources.otherwise !== undefined) return undefined
      for (const [table, isOwn] of sources.tables) {
        const known = rows.has(table) ? rows.get(table) : own
        rows.set(table, isOwn ? known : undefined)
      }
    }
    return rows
  }

  /** New metadata may have withdrawn a permission, and make other SQL. */
  #validityOf(kept: Kept, snapshot: Snapshot): Validity {
    const { changes, getSnapshot } = this.#options
    return { isCurrent: async () => getSnapshot() === snapshot && (await changes.coherence.isCurrent(kept)) }
  }
}
