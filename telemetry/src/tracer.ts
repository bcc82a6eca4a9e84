import type { IncomingHttpHeaders } from 'node:http'

/** Records spans of distributed traces. */
export interface Tracer {
  /** Does the work in a span. What the work begins belongs to the span. Rejects as the work does. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>
  /** Adds what became known of the span that runs now. */
  note(attributes: Attributes, name?: string): void
  /** The span that runs now; undefined outside of any. */
  current(): SpanPosition | undefined
}

export interface SpanOptions {
  /** `server` answers a request, `client` sends one, `producer` and `consumer` are the same for what isn't waited for. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly attributes?: Attributes
  /** What the span continues: a request's headers, or those of `headersOf`; null begins a trace. Absent: the span that runs. */
  readonly parent?: IncomingHttpHeaders | null
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Ids are lower-case hexadecimal: 32 digits for the trace, 16 for the span. */
export interface SpanPosition {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

/** Records nothing. */
const noTracer: Tracer = {
  span: (_name, _options, work) => work(),
  note: () => undefined,
  current: () => undefined,
}

let installed = noTracer

/** Replaces the process's tracer. Returns a function that takes it out again. */
export function installTracer(tracer: Tracer): () => void {
  installed = tracer
  return () => {
    if (installed === tracer) installed = noTracer
  }
}

/** The process's tracer, which records nothing unless `startTracing` was called. */
export const tracer: Tracer = {
  span: (name, options, work) => installed.span(name, options, work),
  note: (attributes, name) => installed.note(attributes, name),
  current: () => installed.current(),
}

/** Headers with which another service continues the trace: W3C's, and B3's, which every Hasura reads. Empty outside of spans. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const position = installed.current()
  return position === undefined ? {} : headersOf(position)
}

const headersOf = ({ traceId, spanId, sampled }: SpanPosition): Readonly<Record<string, string>> => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
  'x-b3-traceid': traceId,
  'x-b3-spanid': spanId,
  'x-b3-sampled': sampled ? '1' : '0',
})

/** The position as Hasura writes it into transactions (`hasura.tracecontext`), from where it gets into events and messages. */
export const storedPosition = ({ traceId, spanId, sampled }: SpanPosition): string =>
  JSON.stringify({ trace_id: traceId, span_id: spanId, sampling_state: sampled ? '1' : '0' })

/** The parent for a span that continues a stored position; null, which begins a trace, if there is none. */
export function parentFrom(stored: string | null): Readonly<Record<string, string>> | null {
  if (stored === null) return null
  try {
    const { trace_id: traceId, span_id: spanId, sampling_state: sampling } = JSON.parse(stored) as Stored
    if (traceId === undefined || spanId === undefined) return null
    return headersOf({ traceId, spanId, sampled: sampling !== '0' })
  } catch {
    return null
  }
}

/** Hasura, and triggers of others, write it. The propagator refuses ids of another form. */
interface Stored {
  readonly trace_id?: string
  readonly span_id?: string
  readonly sampling_state?: string
}
