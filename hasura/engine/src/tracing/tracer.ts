import type { IncomingHttpHeaders } from 'node:http'

/** Records the engine's spans. The program that embeds the engine gives one; without it, nothing is recorded. */
export interface Tracer {
  /** Does the work in a span. Rejects as the work does. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>
  /** The span that runs now. */
  current(): { readonly traceId: string; readonly spanId: string; readonly sampled: boolean } | undefined
}

interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Headers of the trace that it continues; null begins a trace. Absent: the span that runs now. */
  readonly parent?: IncomingHttpHeaders | null
}
