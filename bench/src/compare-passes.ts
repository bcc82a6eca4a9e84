import autocannon from 'autocannon'

export interface Contender {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface PassOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/**
 * Measures the contenders in turns, so that whatever else the machine is doing hits all of them alike, and prints the
 * medians and each one's ratio to the first. Any answer that isn't a 200 ends the benchmark: refusals are fast.
 */
export async function comparePasses(contenders: readonly Contender[], options: PassOptions): Promise<void> {
  const rates = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  for (const contender of contenders) await measure(contender, { ...options, seconds: 3 })
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const contender of contenders) {
      const { rate, latency } = await measure(contender, options)
      rates.get(contender.name)?.push(rate)
      console.log(
        `round ${round}  ${contender.name.padEnd(28)} ${rate.toFixed(0)} requests/s, median ${latency} ms`,
      )
    }
  }
  const [limit] = [...rates.values()].map(median)
  if (limit === undefined) return
  console.log(`\nmedian of ${options.rounds} rounds, ${options.connections} connections`)
  for (const [name, values] of rates) {
    console.log(
      `  ${name.padEnd(28)} ${median(values).toFixed(0)} requests/s   ${(median(values) / limit).toFixed(2)}`,
    )
  }
}

async function measure(
  { name, url, headers, body }: Contender,
  { seconds, connections }: PassOptions,
): Promise<{ rate: number; latency: number }> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers,
    body,
    connections,
    duration: seconds,
    workers: 1,
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${name}: ${result.non2xx} answers were not 200, ${result.errors} requests failed`)
  }
  return { rate: result.requests.average, latency: result.latency.p50 }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) throw new Error('nothing was measured')
  return middle
}
