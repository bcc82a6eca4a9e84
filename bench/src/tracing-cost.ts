import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startTracing } from '@commerce-graph/telemetry/tracing'
import { median } from './median.ts'

/** The most that recording every request may add to the processor time of a request, as a share of it. */
export const mostByTracing = 0.25

/** Requests between two changes: enough for the last spans of a block not to matter. */
const blockSize = 100

interface Cost {
  /** Medians of the requests' times, in microseconds. */
  readonly time: number
  /** This process's time for a request, in microseconds, the export of its spans included. */
  readonly processor: number
}

/** A collector that takes everything, in a process of its own, whose work isn't ours. */
async function startCollector(): Promise<{ readonly endpoint: string; stop(): void }> {
  const program = `
    const server = require('node:http').createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
    })
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { endpoint: `http://127.0.0.1:${port.toString().trim()}`, stop: () => child.kill() }
}

/**
 * The cost of a request without tracing and with all of it recorded: blocks of requests, in turn the one and the other.
 *
 * @param request sends one, and resolves with its microseconds
 */
export async function tracingCost(
  request: () => Promise<number>,
  requests: number,
): Promise<{ readonly off: Cost; readonly on: Cost }> {
  const collector = await startCollector()
  const measured = { off: [] as Cost[], on: [] as Cost[] }
  const block = async (): Promise<readonly number[]> => {
    const times: number[] = []
    for (let sent = 0; sent < blockSize; sent += 1) times.push(await request())
    return times
  }
  const traced = async (): Promise<readonly number[]> => {
    const tracing = startTracing({ endpoint: collector.endpoint, serviceName: 'bench', ratio: 1 })
    const times = await block()
    await tracing.stop()
    return times
  }
  try {
    for (let round = -1; round < Math.ceil(requests / blockSize); round += 1)
      for (const which of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
        const before = process.cpuUsage()
        const times = await (which === 'on' ? traced() : block())
        const { user, system } = process.cpuUsage(before)
        if (round >= 0) measured[which].push({ time: median(times), processor: (user + system) / blockSize })
      }
  } finally {
    collector.stop()
  }
  const mediansOf = (costs: readonly Cost[]): Cost => ({
    time: median(costs.map(({ time }) => time)),
    processor: median(costs.map(({ processor }) => processor)),
  })
  return { off: mediansOf(measured.off), on: mediansOf(measured.on) }
}
