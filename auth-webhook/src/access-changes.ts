import { setTimeout as sleep } from 'node:timers/promises'
import type { ListenerShare, SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import type { Logger } from 'pino'
import type { AccessScope } from './access.ts'
import { withDeadline } from './with-deadline.ts'

// The channel of the triggers' announcements (migrations/default). The payload is a merchant's id, or `operator`.
const channel = 'access_changed'
// A connection can be dead without either side noticing. Each beat sends a query, which must be answered before the
// next beat, so that a revocation is missed for at most a second.
const heartbeatMs = 500
/** Without an answer for this long, the connection is given up. */
const answerMs = 5_000

interface AccessChangesOptions {
  readonly listener: SharedListener
  readonly logger: Logger
  readonly onChange: (scope: AccessScope) => void
  /** Announcements may have been missed: no cached result can be trusted. */
  readonly onGap: () => void
}

/** Listens to announced changes of access until it is closed. Every moment without a connection counts here. */
export class AccessChanges {
  readonly #options: AccessChangesOptions
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>
  #heard = false

  constructor(options: AccessChangesOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  /** Whether every change is received at this moment. While it is false, cached results may be stale. */
  get heard(): boolean {
    return this.#heard
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#listenUntilLost()
      await this.#pause()
    }
  }

  async #listenUntilLost(): Promise<void> {
    const { listener, logger, onChange, onGap } = this.#options
    const lost = new AbortController()
    let share: ListenerShare | undefined
    try {
      share = await listener.lend()
      share.on('error', () => {
        this.#heard = false
        lost.abort()
      })
      share.on('notification', (message) => {
        if (message.channel === channel && message.payload !== undefined)
          onChange(message.payload as AccessScope)
      })
      await withDeadline(answerMs, share.query(`LISTEN ${channel}`))
      onGap()
      this.#heard = true
      while (!this.#stopping.signal.aborted && !lost.signal.aborted) {
        await this.#beat(share)
        await this.#pause(lost.signal)
      }
    } catch (error) {
      logger.warn(
        { err: error },
        'changes of access are not heard; every credential is looked up until they are',
      )
    } finally {
      this.#heard = false
      onGap()
      share?.removeAllListeners()
      if (this.#stopping.signal.aborted) share?.release()
      else share?.giveUp()
    }
  }

  /** While the answer is late, announcements may be, too. The connection is shared, so it gets some more time. */
  async #beat(share: ListenerShare): Promise<void> {
    const late = setTimeout(() => (this.#heard = false), heartbeatMs)
    try {
      await withDeadline(answerMs, share.query('SELECT 1'))
    } finally {
      clearTimeout(late)
    }
    if (this.#heard) return
    this.#options.onGap()
    this.#heard = true
  }

  async #pause(...ends: AbortSignal[]): Promise<void> {
    await sleep(heartbeatMs, undefined, { signal: AbortSignal.any([this.#stopping.signal, ...ends]) }).catch(
      () => undefined,
    )
  }
}
