import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ClientRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer, or the error's code. */
export type Outcome = { readonly status: number; readonly body: string } | string

/** Milliseconds, so that the clients leave some processor time to the server, and to other tests. */
const pause = 75

/**
 * Clients that keep their connections and send one request soon after the other, until they are ended or nothing listens.
 */
export class KeepAliveClients {
  readonly outcomes: Outcome[] = []
  readonly #agent: Agent
  readonly #running: readonly Promise<void>[]
  #wanted = true

  constructor(count: number, request: ClientRequest) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: count })
    this.#running = Array.from({ length: count }, () => this.#run(request))
  }

  /** Resolves when nothing listens. */
  async refused(): Promise<void> {
    await Promise.all(this.#running)
  }

  /**
   * Resolves when requests under way are answered. Lists each distinct outcome once: its status, with the body unless
   * it is 200.
   */
  async end(): Promise<readonly (number | string)[]> {
    this.#wanted = false
    await Promise.all(this.#running)
    this.#agent.destroy()
    const described = this.outcomes.map((outcome) => {
      if (typeof outcome === 'string') return outcome
      return outcome.status === 200 ? 200 : `${outcome.status} ${outcome.body}`
    })
    return [...new Set(described)]
  }

  async #run(request: ClientRequest): Promise<void> {
    while (this.#wanted) {
      const outcome = await send(request, this.#agent)
      this.outcomes.push(outcome)
      if (outcome === 'ECONNREFUSED') return
      await sleep(pause)
    }
  }
}

const send = ({ url, method = 'GET', headers = {}, body }: ClientRequest, agent: Agent): Promise<Outcome> =>
  new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message)
    const sent = request(url, { agent, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      response.once('error', fail)
    })
    sent.once('error', fail)
    sent.end(body)
  })
