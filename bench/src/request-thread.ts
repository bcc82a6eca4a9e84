import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** A request that is sent again and again. */
export interface RepeatedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Batch extends RepeatedRequest {
  readonly times: number
}

/** A client in a thread of its own, whose processor time isn't that of the server in the main thread. */
export interface RequestThread {
  /** Sends the request so often, one after the other. Rejects for an answer that is an error. */
  send(request: RepeatedRequest, times: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the thread. One batch at a time. */
export function openRequestThread(): RequestThread {
  const worker = new Worker(new URL(import.meta.url))
  return {
    async send(request, times) {
      const ended = new Promise<string | undefined>((resolve) => worker.once('message', resolve))
      worker.postMessage({ ...request, times } satisfies Batch)
      const problem = await ended
      if (problem !== undefined) throw new Error(problem)
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

const agent = new Agent({ keepAlive: true })

/** Resolves to what is wrong with the answer. By node:http: `fetch` takes so much of the processor that the server's figures rise. */
async function problemOf({ url, headers, body }: RepeatedRequest): Promise<string | undefined> {
  const sent = request(url, { method: 'POST', headers, agent }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  return response.statusCode === 200 && !answer.includes('"errors":[{') ? undefined : answer
}

async function sendAll({ times, ...repeated }: Batch): Promise<string | undefined> {
  for (let sent = 0; sent < times; sent += 1) {
    const problem = await problemOf(repeated)
    if (problem !== undefined) return problem
  }
  return undefined
}

if (!isMainThread)
  parentPort?.on('message', (batch: Batch) => {
    void sendAll(batch)
      .catch(String)
      .then((problem) => parentPort?.postMessage(problem))
  })
