import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { z } from 'zod'

const traceRequest = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              startTimeUnixNano: z.string(),
              endTimeUnixNano: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
})

export type CollectedSpan = z.output<
  typeof traceRequest
>['resourceSpans'][number]['scopeSpans'][number]['spans'][number]

export interface TraceCollector {
  readonly endpoint: string
  readonly spansOf: (traceId: string) => readonly CollectedSpan[]
  close(): Promise<void>
}

/** Receives traces as a collector does: OTLP over HTTP, in JSON. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const server = createServer((request, response) => {
    json(request)
      .then((body) => {
        const { resourceSpans } = traceRequest.parse(body)
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
      .catch(() => response.writeHead(400).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A trace as a tree: each span below its parent, with its start after the trace's in milliseconds, and its duration. */
export function traceTree(spans: readonly CollectedSpan[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const nanos = (text: string): bigint => BigInt(text)
  const sorted = spans.toSorted((a, b) => (nanos(a.startTimeUnixNano) < nanos(b.startTimeUnixNano) ? -1 : 1))
  const begin = nanos(sorted[0]?.startTimeUnixNano ?? '0')
  const milliseconds = (from: bigint, to: bigint): string => (Number(to - from) / 1e6).toFixed(1)
  const lines = (parent: string | null, depth: number): readonly string[] =>
    sorted
      .filter(({ parentSpanId = '' }) => (parent === null ? !ids.has(parentSpanId) : parentSpanId === parent))
      .flatMap(({ spanId, name, startTimeUnixNano: start, endTimeUnixNano: end }) => [
        `${`+${milliseconds(begin, nanos(start))}`.padStart(9)} ${milliseconds(nanos(start), nanos(end)).padStart(8)}  ${'  '.repeat(depth)}${name}`,
        ...lines(spanId, depth + 1),
      ])
  return ['    start duration', ...lines(null, 0)].join('\n')
}
