import autocannon from 'autocannon'
import { median } from './median.ts'
import { processorMicroseconds } from './processor-time.ts'

export interface Contender {
  readonly name: string
  readonly url: string
  /** The process id of the server, whose processor time is measured. */
  readonly pid?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What differs in each request, of requests that may not be sent twice. */
  readonly vary?: () => Partial<Pick<Contender, 'headers' | 'body'>>
}

interface PassOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

interface Pass {
  /** Requests per second. */
  readonly rate: number
  /** Milliseconds, the median. */
  readonly latency: number
  /** Milliseconds that one request in a hundred exceeds. */
  readonly slowest: number
  /** Microseconds of the server's processor time per request; not known without /proc. */
  readonly cpu: number | undefined
}

/**
 * Measures the contenders in turns, every other round in the opposite order, so that other load on the machine affects all of
 * them. Prints the medians, and each contender's ratio to the first: the median of the rounds' ratios, because what a machine
 * does in one round is nearer to the next second than to the next minute. Throws when an answer isn't a 200 with data, because
 * refusals are fast.
 */
export async function comparePasses(contenders: readonly Contender[], options: PassOptions): Promise<void> {
  const passes = new Map(contenders.map(({ name }) => [name, [] as Pass[]]))
  for (const contender of contenders) {
    await assertData(contender)
    await measure(contender, { ...options, seconds: 3 })
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const contender of round % 2 === 1 ? contenders : contenders.toReversed()) {
      const pass = await measure(contender, options)
      passes.get(contender.name)?.push(pass)
      console.log(
        `round ${round}  ${contender.name.padEnd(28)} ${pass.rate.toFixed(0)} requests/s, median ${pass.latency} ms, p99 ${pass.slowest} ms`,
      )
    }
  }
  const [limit] = passes.values()
  if (limit === undefined) return
  console.log(`\nmedian of ${options.rounds} rounds, ${options.connections} connections`)
  for (const [name, all] of passes) {
    const rate = median(all.map((pass) => pass.rate))
    const cpus = all.flatMap(({ cpu }) => (cpu === undefined ? [] : [cpu]))
    const cpu = cpus.length === 0 ? '' : `   ${median(cpus).toFixed(0)} µs of processor time a request`
    const slowest = median(all.map((pass) => pass.slowest))
    const ratio = median(all.map((pass, round) => pass.rate / (limit[round]?.rate ?? Number.NaN)))
    console.log(
      `  ${name.padEnd(28)} ${rate.toFixed(0)} requests/s   ${ratio.toFixed(2)}   p99 ${slowest} ms${cpu}`,
    )
  }
}

async function assertData({ name, url, headers, body, vary }: Contender): Promise<void> {
  const answer = await (await fetch(url, { method: 'POST', headers, body, ...vary?.() })).text()
  if (!answer.startsWith('{"data":{')) throw new Error(`${name} answers no data: ${answer.slice(0, 1000)}`)
}

async function measure(
  { name, url, pid, headers, body, vary }: Contender,
  { seconds, connections }: PassOptions,
): Promise<Pass> {
  const before = await spentBy(pid)
  const result = await autocannon({
    url,
    method: 'POST',
    headers,
    body,
    connections,
    duration: seconds,
    // A function can't be sent to a worker.
    ...(vary === undefined
      ? { workers: 1 }
      : { requests: [{ setupRequest: (request) => ({ ...request, ...vary() }) }] }),
  })
  const after = await spentBy(pid)
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${name}: ${result.non2xx} answers were not 200, ${result.errors} requests failed`)
  }
  return {
    rate: result.requests.average,
    latency: result.latency.p50,
    slowest: result.latency.p99,
    cpu: before === undefined || after === undefined ? undefined : (after - before) / result.requests.total,
  }
}

const spentBy = async (pid: number | undefined) =>
  pid === undefined ? undefined : processorMicroseconds(pid)
