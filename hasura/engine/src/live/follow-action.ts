import { setTimeout } from 'node:timers'
import type { Logger } from 'pino'
import type { GraphQLResult } from '../graphql-request.ts'
import type { Refetch } from './poller.ts'
import type { Subscriber } from './subscriber.ts'

export interface ActionFollower {
  /** To be called when the client leaves. */
  readonly leave: () => void
  /** To be called when the engine stops. */
  readonly end: () => void
}

/** Reads an asynchronous action's result at each interval, and sends it to the subscriber when it has changed. */
export function followAction(
  read: (signal: AbortSignal) => Promise<GraphQLResult>,
  subscriber: Subscriber,
  { live, logger }: { readonly live: Refetch; readonly logger: Logger },
): ActionFollower {
  const leaving = new AbortController()
  let sent: string | undefined
  let timer: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    const result = await read(leaving.signal)
    const text = JSON.stringify(result)
    if (leaving.signal.aborted || text === sent || !subscriber.isReady()) return
    sent = text
    subscriber.receive(result)
  }
  const repeat = (): void => {
    look()
      .catch((error: unknown) => {
        if (!leaving.signal.aborted) logger.warn({ err: error }, 'the result of an action could not be read')
      })
      .finally(() => {
        if (!leaving.signal.aborted) timer = setTimeout(repeat, live.intervalMs)
      })
  }
  repeat()

  const leave = (): void => {
    clearTimeout(timer)
    leaving.abort(new Error('the subscriber has left'))
  }
  return {
    leave,
    end: () => {
      leave()
      subscriber.end()
    },
  }
}
