import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'

/** Where something stands in a distributed trace. Ids are lower-case hexadecimal, of 32 digits and of 16. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  /** False only where whoever began the trace does not want it recorded. */
  readonly sampled: boolean
}

/**
 * The trace that a request is part of: the client's, if it sent the headers of B3
 * (https://github.com/openzipkin/b3-propagation), otherwise one that begins with it.
 */
export function startTrace(headers: IncomingHttpHeaders = {}): TraceContext {
  const traceId = traceIdOf(headers['x-b3-traceid'])
  return traceId === undefined
    ? { traceId: randomId(16), spanId: randomId(8), parentSpanId: undefined, sampled: true }
    : childOf({
        traceId,
        spanId: spanIdOf(headers['x-b3-spanid']),
        sampled: headers['x-b3-sampled'] !== '0',
      })
}

/** The trace of a request, which begins when somebody asks for it: most requests call nobody and write nothing. */
export function requestTrace(headers?: IncomingHttpHeaders): () => TraceContext {
  let trace: TraceContext | undefined
  return () => (trace ??= startTrace(headers))
}

/** As it stands in an event's `trace_context`: this engine, Hasura or a trigger of the user's may have written it. */
const stored = z.object({
  trace_id: z.string(),
  span_id: z.string().optional(),
  sampling_state: z.string().optional(),
})

/** The trace of the request that caused an event, or a new one where none is known. */
export function resumeTrace(eventContext: unknown): TraceContext {
  const parsed = stored.safeParse(eventContext)
  const traceId = parsed.success ? traceIdOf(parsed.data.trace_id) : undefined
  if (!parsed.success || traceId === undefined) return startTrace()
  const { span_id: spanId, sampling_state: sampling } = parsed.data
  return childOf({ traceId, spanId: spanIdOf(spanId), sampled: sampling !== '0' })
}

/** The text that triggers of the database read from the setting `hasura.tracecontext`. */
export const traceSetting = ({ traceId, spanId, sampled }: TraceContext): string =>
  JSON.stringify({ trace_id: traceId, span_id: spanId, sampling_state: sampled ? '1' : '0' })

/** Headers for a call: a span of its own, unless nobody records it. */
export function traceHeaders(trace: TraceContext): readonly (readonly [name: string, value: string])[] {
  const { traceId, spanId, parentSpanId, sampled } = trace.sampled ? childOf(trace) : trace
  return [
    ['X-B3-TraceId', traceId],
    ['X-B3-SpanId', spanId],
    ...(parentSpanId === undefined ? [] : [['X-B3-ParentSpanId', parentSpanId] as const]),
    ['X-B3-Sampled', sampled ? '1' : '0'],
  ]
}

const childOf = ({
  traceId,
  spanId,
  sampled,
}: Pick<TraceContext, 'traceId' | 'sampled'> & { readonly spanId: string | undefined }): TraceContext => ({
  traceId,
  spanId: randomId(8),
  parentSpanId: spanId,
  sampled,
})

const randomId = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Ids of 64 bits are written with zeros before them; all zeros is none. */
const traceIdOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' && /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i.test(value) && /[^0]/.test(value)
    ? value.toLowerCase().padStart(32, '0')
    : undefined

const spanIdOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{16}$/i.test(value) && /[^0]/.test(value)
    ? value.toLowerCase()
    : undefined
