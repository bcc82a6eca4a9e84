import { badInput, type ServedAction } from './serve-action.ts'

/** A call by Hasura's engine in this process, which needs no HTTP and no secret. */
export interface LocalCall {
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  readonly signal: AbortSignal
}

/** Status of HTTP, and JSON. Rejects if the caller has gone. */
export type AnswerLocally = (call: LocalCall) => Promise<{ readonly status: number; readonly body: string }>

export interface LocalCalls {
  /** The action that a path (`<domain>/<name>`) names; undefined for another path, and once they stop. */
  readonly find: (path: string) => AnswerLocally | undefined
  /** From now on there is no action to be found. Resolves when the calls under way have their answers. */
  readonly stop: () => Promise<void>
}

interface Bounds {
  readonly maxBodyBytes: number
  /** At the same time. */
  readonly maxCalls: number
}

/** Calls of actions from within the process, with the bounds of those over HTTP. */
export function openLocalCalls(
  actions: ReadonlyMap<string, ServedAction>,
  { maxBodyBytes, maxCalls }: Bounds,
): LocalCalls {
  const underWay = new Set<Promise<unknown>>()
  let isStopping = false
  async function answer(action: ServedAction, { headers, body, signal }: LocalCall) {
    const reply =
      Buffer.byteLength(body) > maxBodyBytes
        ? badInput('The body can not be read', 413)
        : await action({ headers, body: JSON.parse(body) as unknown, signal })
    if (reply === 'gone') throw new Error('the caller has gone')
    return { status: reply.status, body: JSON.stringify(reply.body) }
  }
  return {
    find(path) {
      const action = isStopping ? undefined : actions.get(path)
      if (action === undefined) return undefined
      return async (call) => {
        if (underWay.size >= maxCalls) throw new Error('too many calls at the same time')
        const answering = answer(action, call)
        underWay.add(answering)
        try {
          return await answering
        } finally {
          underWay.delete(answering)
        }
      }
    },
    async stop() {
      isStopping = true
      await Promise.allSettled(underWay)
    },
  }
}
