import { Agent, request } from 'node:http'

interface Load {
  /** Used in turns. */
  readonly urls: readonly string[]
  readonly key: string
  readonly requests: number
  /** The number of concurrent requests. */
  readonly atOnce: number
}

/** Sends small queries, and returns how many were answered with which status. */
export async function sendRequests({ urls, key, requests, atOnce }: Load): Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const statuses: Record<number, number> = {}
  let sent = 0
  async function sendInTurn(): Promise<void> {
    while (sent < requests) {
      const url = urls[sent % urls.length] ?? ''
      sent += 1
      const status = await post(agent, url, key)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendInTurn))
  agent.destroy()
  return statuses
}

const body = JSON.stringify({ query: '{ viewer { id } }' })

const post = (agent: Agent, url: string, key: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        agent,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      },
      (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })
