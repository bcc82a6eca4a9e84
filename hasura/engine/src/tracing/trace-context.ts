import { randomFillSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { Tracer } from './tracer.ts'

/** A position in a distributed trace. Ids are lower-case hexadecimal: 32 digits for the trace, 16 for the span. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  /** False only if the client that began the trace doesn't want it recorded. */
  readonly sampled: boolean
  /** Whether a tracer has recorded the span. Calls are then its children; otherwise each call has a span of its own. */
  readonly isRecorded?: boolean
}

/**
 * The trace of a request: the client's, if it sent B3 headers (https://github.com/openzipkin/b3-propagation), otherwise
 * a new one.
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

/**
 * The trace of a request: the tracer's present span, or one that is created at its first use, because most requests
 * neither call a service nor write.
 */
export function requestTrace(headers?: IncomingHttpHeaders, tracer?: Tracer): () => TraceContext {
  let trace: TraceContext | undefined
  return () => recordedTrace(tracer) ?? (trace ??= startTrace(headers))
}

/** The tracer's present span; undefined without one. */
export function recordedTrace(tracer: Tracer | undefined): TraceContext | undefined {
  const position = tracer?.current()
  return position && { ...position, parentSpanId: undefined, isRecorded: true }
}

/** An event's `trace_context`, which this engine, Hasura or a user's trigger may have written. */
const stored = z.object({
  trace_id: z.string(),
  span_id: z.string().optional(),
  sampling_state: z.string().optional(),
})

/** The trace of the request that caused an event, or a new one if that is unknown. */
export function resumeTrace(eventContext: unknown): TraceContext {
  const parsed = stored.safeParse(eventContext)
  const traceId = parsed.success ? traceIdOf(parsed.data.trace_id) : undefined
  if (!parsed.success || traceId === undefined) return startTrace()
  const { span_id: spanId, sampling_state: sampling } = parsed.data
  return childOf({ traceId, spanId: spanIdOf(spanId), sampled: sampling !== '0' })
}

/** The text of the setting `hasura.tracecontext`, which database triggers read. */
export const traceSetting = ({ traceId, spanId, sampled }: TraceContext): string =>
  JSON.stringify({ trace_id: traceId, span_id: spanId, sampling_state: sampled ? '1' : '0' })

/** Headers for a call: a new span, unless the trace isn't sampled. */
export function traceHeaders(trace: TraceContext): readonly (readonly [name: string, value: string])[] {
  const isOwn = trace.isRecorded === true || !trace.sampled
  const { traceId, spanId, parentSpanId, sampled } = isOwn ? trace : childOf(trace)
  return [
    ...(trace.isRecorded === true ? [['traceparent', traceparentOf(trace)] as const] : []),
    ['X-B3-TraceId', traceId],
    ['X-B3-SpanId', spanId],
    ...(parentSpanId === undefined ? [] : [['X-B3-ParentSpanId', parentSpanId] as const]),
    ['X-B3-Sampled', sampled ? '1' : '0'],
  ]
}

const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/** The parent of a tracer's span that continues the trace at its caller's span. */
export const parentOf = ({ traceId, parentSpanId, sampled }: TraceContext): IncomingHttpHeaders | null =>
  parentSpanId === undefined
    ? null
    : { 'x-b3-traceid': traceId, 'x-b3-spanid': parentSpanId, 'x-b3-sampled': sampled ? '1' : '0' }

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

/** Random bytes for the next ids: to ask the system for each of them took a twentieth of an insert's time. */
const randomness = Buffer.alloc(4096)
let usedBytes = randomness.length

function randomId(bytes: number): string {
  if (usedBytes + bytes > randomness.length) {
    randomFillSync(randomness)
    usedBytes = 0
  }
  usedBytes += bytes
  return randomness.toString('hex', usedBytes - bytes, usedBytes)
}

/** Ids of 64 bits are padded with zeros. An id of zeros is invalid. */
const traceIdOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' && /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i.test(value) && /[^0]/.test(value)
    ? value.toLowerCase().padStart(32, '0')
    : undefined

const spanIdOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{16}$/i.test(value) && /[^0]/.test(value)
    ? value.toLowerCase()
    : undefined
