import fc from 'fast-check'
import type { GraphQLSchema } from 'graphql'
import { faultOf, faultOfBytes } from './judge-answer.ts'
import { type RawRequest, rawRequests } from './raw-requests.ts'
import { sendRaw } from './send-raw.ts'
import { type TypedRequest, typedRequests } from './typed-requests.ts'

export interface Target {
  readonly graphqlUrl: string
  /** The fuzzer's key: it has every permission. */
  readonly key: string
  readonly schema: GraphQLSchema
  /** Ids of existing rows. */
  readonly ids: readonly string[]
}

export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  /** Called after each batch with the number of sent requests. */
  readonly onBatch?: (sent: number) => Promise<void> | void
}

export interface FuzzReport {
  readonly sent: number
  /** How often each outcome occurred: a status, or the end of a bare socket. */
  readonly outcomes: Readonly<Record<string, number>>
  /** At most MAX_FAULTS; each with a request that reproduces it. */
  readonly faults: readonly string[]
  readonly faultCount: number
}

type Request =
  | { readonly kind: 'typed'; readonly request: TypedRequest }
  | { readonly kind: 'raw'; readonly request: RawRequest }

const batchSize = 250
const atOnce = 12
const maxFaults = 60
const timeoutMs = 60_000

/**
 * Sends requests that the seed determines, a dozen at once, and judges every answer. The same seed makes the same
 * requests.
 */
export async function runFuzz(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const requests: fc.Arbitrary<Request> = fc.oneof(
    {
      weight: 5,
      arbitrary: typedRequests(target.schema, target.ids).map(
        (request) => ({ kind: 'typed', request }) as const,
      ),
    },
    { weight: 1, arbitrary: rawRequests(target.key).map((request) => ({ kind: 'raw', request }) as const) },
  )
  const outcomes: Record<string, number> = {}
  const faults: string[] = []
  let faultCount = 0
  let sent = 0
  for (let batch = 0; sent < options.requests; batch++) {
    const numRuns = Math.min(batchSize, options.requests - sent)
    const pending = fc.sample(requests, { seed: options.seed + batch, numRuns })
    const workers = Array.from({ length: atOnce }, async () => {
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const { outcome, fault } = await send(target, next)
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        if (fault === null) continue
        faultCount += 1
        if (faults.length < maxFaults) faults.push(`${fault}\n  for ${printed(next, target.key)}`)
      }
    })
    await Promise.all(workers)
    sent += numRuns
    await options.onBatch?.(sent)
  }
  return { sent, outcomes, faults, faultCount }
}

interface Judged {
  readonly outcome: string
  readonly fault: string | null
}

async function send(target: Target, next: Request): Promise<Judged> {
  switch (next.kind) {
    case 'typed':
      return sendTyped(target, next.request)
    case 'raw': {
      const answer = await sendRaw(Number(new URL(target.graphqlUrl).port), next.request)
      if (answer === null) return { outcome: 'socket left open', fault: 'the socket was left open' }
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer.subarray(0, 20).toString('latin1'))?.[1]
      return { outcome: `socket: ${status ?? 'closed'}`, fault: faultOfBytes(answer) }
    }
    default:
      return next satisfies never
  }
}

async function sendTyped({ graphqlUrl, key }: Target, request: TypedRequest): Promise<Judged> {
  try {
    const response = await fetch(graphqlUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    const ids = [...new Set(text.match(/"id":"SVC_\w+"/g)?.map((id) => id.slice(6, -1)))].sort().join(' ')
    return {
      outcome: `${response.status} ${ids}`.trim(),
      // Without a valid key, no request would get past authentication.
      fault:
        ids === 'SVC_AUTH_001'
          ? 'the fuzzer’s own key is refused'
          : faultOf(response.status, response.headers.get('content-type') ?? '', text),
    }
  } catch (error) {
    return { outcome: 'no answer', fault: `no answer: ${String(error)}` }
  }
}

/** The request in a form that can be sent again, without the key. */
function printed(next: Request, key: string): string {
  const text =
    next.kind === 'typed'
      ? JSON.stringify(next.request)
      : `${next.request.kind}, ${next.request.then}: ${JSON.stringify(Buffer.concat([...next.request.pieces]).toString('latin1'))}`
  const shown = text.replaceAll(key, '<key>')
  return shown.length > 1_500 ? `${shown.slice(0, 1_500)}… (${shown.length} characters)` : shown
}
